import type { SqliteConnection } from './sqlite-connection.ts';

/** An object of the embedded cluster, as it is stored. `body` is its JSON. */
export interface StoredClusterObject {
  readonly collection: string;
  readonly key: string;
  readonly body: string;
}

/** The whole embedded cluster. */
export interface StoredCluster {
  readonly objects: Iterable<StoredClusterObject>;
  /** The revision of the last write to each collection, deletions included. */
  readonly revisions: ReadonlyMap<string, number>;
}

/** One write to the embedded cluster; without a body a deletion. */
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
 * The objects of the embedded cluster in a state file. A write is carried by the next transaction of the connection, for
 * whatever it is made: the state of a pass is never in the file without the objects that it was computed from, nor ahead of them.
 */
export class SqliteClusterObjects {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Whether a cluster was kept in this file. */
  exist(): Promise<boolean> {
    return this.#connection.read(() => this.#connection.get(ANY) !== undefined);
  }

  /** Undefined when no cluster was kept in this file yet. */
  async load(): Promise<StoredCluster | undefined> {
    const { objects, revisions } = await this.#connection.read(() => ({
      revisions: this.#connection.all<{ name: string; revision: number }>(REVISIONS),
      objects: this.#connection.all<StoredClusterObject>(OBJECTS),
    }));
    if (revisions.length === 0) return undefined;
    return { objects, revisions: new Map(revisions.map(({ name, revision }) => [name, revision])) };
  }

  /** Takes a write; `written` waits for it. */
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
