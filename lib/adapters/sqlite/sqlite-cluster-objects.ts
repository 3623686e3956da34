import type { SqliteConnection } from './sqlite-connection.ts';

/** An object of the embedded cluster in its stored form. `body` is its JSON. */
export interface StoredClusterObject {
  readonly collection: string;
  readonly key: string;
  readonly body: string;
}

/** All objects of the embedded cluster. */
export interface StoredCluster {
  readonly objects: Iterable<StoredClusterObject>;
  /** The revision of the last write to each collection; deletions count. */
  readonly revisions: ReadonlyMap<string, number>;
}

/** One write to the embedded cluster. A deletion has no body. */
export interface ClusterWrite extends Omit<StoredClusterObject, 'body'> {
  readonly body: string | undefined;
  readonly revision: number;
}

const PUT =
  'INSERT INTO object (collection, key, body) VALUES (?1, ?2, ?3) ON CONFLICT (collection, key) DO UPDATE SET body = ?3';
const REMOVE = 'DELETE FROM object WHERE collection = ? AND key = ?';
const RAISE =
  'INSERT INTO collection (name, revision) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET revision = ?2 WHERE revision < ?2';
const ANY = 'SELECT 1 FROM collection LIMIT 1';
const OBJECTS = 'SELECT collection, key, body FROM object ORDER BY collection, key';
const REVISIONS = 'SELECT name, revision FROM collection';

/**
 * The objects of the embedded cluster in a state file. A write joins the next transaction of the connection, whatever
 * that transaction is for. So the file never has the state of a pass without the objects that the pass read, and never
 * has objects that are newer than that state.
 */
export class SqliteClusterObjects {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Whether this file contains a cluster. */
  exist(): Promise<boolean> {
    return this.#connection.read(() => this.#connection.get(ANY) !== undefined);
  }

  /** Undefined when this file does not contain a cluster yet. */
  async load(): Promise<StoredCluster | undefined> {
    const { objects, revisions } = await this.#connection.read(() => ({
      revisions: this.#connection.all<{ name: string; revision: number }>(REVISIONS),
      objects: this.#connection.all<StoredClusterObject>(OBJECTS),
    }));
    if (revisions.length === 0) return undefined;
    return { objects, revisions: new Map(revisions.map(({ name, revision }) => [name, revision])) };
  }

  /** Adds a write to the next transaction; `written` waits for it. */
  add({ collection, key, body, revision }: ClusterWrite): void {
    const connection = this.#connection;
    connection.carry(() => {
      if (body === undefined) connection.run(REMOVE, collection, key);
      else connection.run(PUT, collection, key, body);
      connection.run(RAISE, collection, revision);
    });
  }

  /** Resolves when every write so far is in the file. @throws InfrastructureError */
  written(): Promise<void> {
    return this.#connection.carried();
  }
}
