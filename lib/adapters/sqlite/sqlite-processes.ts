import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Arrivals } from './arrivals.ts';
import { ProcessLock } from './process-lock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { loadSqlite } from './sqlite-module.ts';
import { SHOW_GROUPS } from './sqlite-queues.ts';
import type { Sqlite } from './state-file.ts';

const JOIN = 'INSERT INTO process (owner) VALUES (?) ON CONFLICT DO NOTHING';
const OTHERS = 'SELECT owner FROM process WHERE owner <> ? ORDER BY owner';
const LEAVE = 'DELETE FROM process WHERE owner = ?';

const LOCK_FILE = /^process-(.*)\.lock$/;

/** An unreadable item must not affect other items. */
const field = (path: string) => `CASE WHEN json_valid(body) THEN json_extract(body, '${path}') END`;
const END_LEASES =
  "UPDATE item SET body = json_remove(body, '$.lease') WHERE pk >= 'T#' AND pk < 'T$' AND " +
  `${field('$.lease.owner')} = ?`;
/** The name of a hold consists of the process and a unique id. */
const END_HOLDS =
  "UPDATE item SET body = json_remove(body, '$.relay') WHERE pk >= 'R#' AND pk < 'R$' AND sk = 'health' AND " +
  `substr(${field('$.relay.owner')}, 1, length(?1) + 1) = ?1 || '/'`;
const SHOW_RECEIVED =
  'UPDATE fifo_message SET hidden_until = NULL, hidden_at = NULL WHERE hidden_until IS NOT NULL AND receiver = ?';
const SHOW_DELAYED = 'UPDATE delayed_message SET visible_at = ?1, set_at = ?1 WHERE visible_at > ?1 AND receiver = ?2';

/** These statements may read whole tables, so they run only when a process is gone. */
export const GIVE_BACK_STATEMENTS: readonly string[] = [END_LEASES, END_HOLDS, SHOW_RECEIVED, SHOW_DELAYED];

/**
 * The processes that work on a state file. Each one holds a lock while it lives. When the lock of a process is free,
 * its leases, its hold of the relay and its received messages are given back at once. Epochs do not change, so
 * a pass that ended without a commit is counted, and late writes of that process are refused.
 */
export class SqliteProcesses {
  readonly #connection: SqliteConnection;
  readonly #arrivals: Arrivals;
  #own: { readonly owner: string; readonly lock: ProcessLock } | undefined;

  constructor(connection: SqliteConnection, arrivals: Arrivals) {
    this.#connection = connection;
    this.#arrivals = arrivals;
  }

  /**
   * First gives back what dead processes held, then registers this process.
   * @param owner its name in leases and as a receiver; never used again.
   */
  async join(owner: string): Promise<void> {
    const sqlite = await loadSqlite();
    const lock = ProcessLock.take(sqlite, this.#lockPath(owner));
    if (lock === undefined) throw new Error(`another process is called ${owner}`);
    this.#own = { owner, lock };
    await this.giveBackOfGone();
    await this.#connection.write(() => this.#connection.run(JOIN, owner));
    this.#removeForgottenLocks(sqlite);
    await this.#arrivals.sockets.listen(fileName(owner));
  }

  /** @returns the processes that are gone. */
  async giveBackOfGone(): Promise<string[]> {
    const sqlite = await loadSqlite();
    const gone: string[] = [];
    for (const owner of await this.others()) {
      if (await this.#giveBackIfGone(sqlite, owner)) gone.push(owner);
    }
    if (gone.length > 0) this.#arrivals.announce();
    return gone;
  }

  /**
   * The other processes that joined and did not leave. A dead process is in the list until everything that it held is
   * given back.
   */
  others(): Promise<string[]> {
    const own = this.#own?.owner ?? '';
    return this.#connection.read(() => this.#connection.all<{ owner: string }>(OTHERS, own).map(({ owner }) => owner));
  }

  /** Gives everything back when the process ends normally. */
  async leave(): Promise<void> {
    if (this.#own === undefined) return;
    const { owner, lock } = this.#own;
    this.#own = undefined;
    try {
      await this.#giveBack(owner);
      this.#arrivals.announce();
    } finally {
      this.#arrivals.sockets.stopListening();
      lock.remove();
    }
  }

  async #giveBackIfGone(sqlite: Sqlite, owner: string): Promise<boolean> {
    const lock = ProcessLock.take(sqlite, this.#lockPath(owner));
    if (lock === undefined) return false;
    try {
      await this.#giveBack(owner);
    } finally {
      this.#arrivals.sockets.remove(fileName(owner));
      lock.remove();
    }
    return true;
  }

  #giveBack(owner: string): Promise<unknown> {
    const connection = this.#connection;
    return connection.write(() => {
      connection.run(END_LEASES, owner);
      connection.run(END_HOLDS, owner);
      if (connection.run(SHOW_RECEIVED, owner).changes > 0) connection.run(SHOW_GROUPS);
      connection.run(SHOW_DELAYED, connection.nowMs, owner);
      connection.run(LEAVE, owner);
    });
  }

  /** Removes locks of processes that are not in the file any more: the state was removed, or replaced by a backup. */
  #removeForgottenLocks(sqlite: Sqlite): void {
    const directory = dirname(this.#connection.path);
    for (const name of readdirSync(directory)) {
      const process = LOCK_FILE.exec(name)?.[1];
      const lock = process === undefined ? undefined : ProcessLock.take(sqlite, join(directory, name));
      if (process === undefined || lock === undefined) continue;
      this.#arrivals.sockets.remove(process);
      lock.remove();
    }
  }

  #lockPath(owner: string): string {
    return join(dirname(this.#connection.path), `process-${fileName(owner)}.lock`);
  }
}

/** The name of a process in the names of its files. */
function fileName(owner: string): string {
  return owner.replaceAll(/[^\w.-]/g, '_');
}
