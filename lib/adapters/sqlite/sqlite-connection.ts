import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { InfrastructureError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { isBusy, sqliteFailure } from './sqlite-failure.ts';
import { closeStateFile, type OnStatement } from './state-file.ts';

export interface SqliteConnectionOptions {
  readonly database: DatabaseSync;
  readonly path: string;
  readonly clock: Clock;
  readonly onStatement?: OnStatement | undefined;
}

export interface WriteOptions {
  /**
   * Whether this write, and every earlier write, is on the disk when the promise resolves. Otherwise a power loss may
   * undo the last writes, but never a write without the later ones. The value is read before the transaction starts.
   */
  readonly durable?: boolean | (() => boolean);
  readonly signal?: AbortSignal | undefined;
}

const BEGIN = 'BEGIN IMMEDIATE';
const COMMIT = 'COMMIT';
const ROLLBACK = 'ROLLBACK';
const SAVE = 'SAVEPOINT one';
const RELEASE = 'RELEASE one';
const UNDO_ONE = 'ROLLBACK TO one';

/** The largest number of writes in one transaction. The thread does nothing else during the transaction. */
const MAX_JOINED = 64;

/** A write that waits for its transaction. */
interface JoinedWrite {
  readonly isDurable: () => boolean;
  readonly signal: AbortSignal | undefined;
  /** Runs its statements. @returns a function that resolves its promise after the commit. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** The number of attempts for a lock that another process holds, and their delays. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;
const PATIENCE_MS = 10_000;

/** How often expired rows are removed. */
const HOUSEKEEPING_MS = 60_000;

/**
 * One connection to the state file. Statements run one after the other on this thread. A transaction starts and ends
 * within one turn of the event loop, and nothing is awaited inside it. The thread never waits for a lock of another
 * process: the call is tried again later, and later calls wait for it.
 */
export class SqliteConnection {
  readonly path: string;
  readonly clock: Clock;
  /**
   * Removes expired rows, within a transaction.
   * @returns whether more are left.
   */
  housekeeping: (nowMs: number) => boolean = () => false;
  readonly #database: DatabaseSync;
  readonly #onStatement: OnStatement;
  readonly #statements = new Map<string, StatementSync>();
  #synchronous: 'NORMAL' | 'FULL' | undefined;
  #waiting: Promise<void> | undefined;
  #joining: JoinedWrite[] = [];
  #carried: (() => void)[] = [];
  #carrying: Promise<void> | undefined;
  #housekeepingAtMs: number;
  #isOpen = true;

  constructor({ database, path, clock, onStatement = () => {} }: SqliteConnectionOptions) {
    this.#database = database;
    this.path = path;
    this.clock = clock;
    this.#onStatement = onStatement;
    this.#housekeepingAtMs = clock.monotonic() + HOUSEKEEPING_MS;
  }

  /**
   * Runs statements that only read. Each one sees everything that was committed before it.
   * @throws InfrastructureError
   */
  read<Answer>(work: () => Answer, signal?: AbortSignal): Promise<Answer> {
    return this.#whenFree(work, signal);
  }

  /**
   * Runs statements as one transaction: all of them, or none. An error that `work` throws undoes them. The writes of
   * one turn of the event loop share one commit, in their order, because a commit costs more than their statements.
   * Each write has its own savepoint, so one that fails does not undo others. It resolves after the commit.
   * @throws InfrastructureError
   */
  write<Answer>(work: () => Answer, { durable = false, signal }: WriteOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const answer = work();
        return () => resolve(answer);
      };
      const isDurable = typeof durable === 'function' ? durable : () => durable;
      this.#joining.push({ isDurable, signal, run, reject });
      if (this.#joining.length === 1) this.#commitSoon();
    });
  }

  /**
   * Runs some statements in the next transaction of this connection, before its own statements. So no later write can
   * be in the file without them. They run again if that transaction is undone.
   */
  carry(work: () => void): void {
    this.#carried.push(work);
  }

  /** Resolves when the statements of all earlier `carry` calls are in the file. @throws InfrastructureError */
  async carried(): Promise<void> {
    if (this.#carried.length === 0) return;
    this.#carrying ??= this.write(() => {}).finally(() => {
      this.#carrying = undefined;
    });
    await this.#carrying;
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  iterate<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#prepared(sql).iterate(...values) as Iterable<Row>;
  }

  /** @returns the number of changed rows, and the id of the last inserted row. */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; lastId: number } {
    const { changes, lastInsertRowid } = this.#prepared(sql).run(...values);
    return { changes: Number(changes), lastId: Number(lastInsertRowid) };
  }

  /** For statements that cannot be prepared: settings and definitions. */
  exec(sql: string): void {
    this.#onStatement(sql);
    this.#database.exec(sql);
  }

  /** A number that changes when another connection has committed, in this process or in another one. */
  dataVersion(): number {
    return this.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }

  /** The wall clock, in whole epoch ms. */
  get nowMs(): number {
    return Math.floor(this.clock.now());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeStateFile(this.path, this.#database);
  }

  #commitSoon(): void {
    setImmediate(() => void this.#commitJoined());
  }

  async #commitJoined(): Promise<void> {
    const joined = this.#joining.splice(0, MAX_JOINED);
    if (this.#joining.length > 0) this.#commitSoon();
    try {
      const ends = await this.#whenFree(() => this.#transaction(joined.filter(isWanted)), undefined);
      for (const end of ends) end();
    } catch (error) {
      for (const { reject } of joined) reject(error);
    }
  }

  /** @returns the functions that resolve the promises of the writes. */
  #transaction(writes: readonly JoinedWrite[]): (() => void)[] {
    if (writes.length === 0) return [];
    this.#setSynchronous(writes.some(mustBeDurable) ? 'FULL' : 'NORMAL');
    this.run(BEGIN);
    try {
      const carried = this.#carried.length;
      for (const add of this.#carried) add();
      this.#keepHouse();
      const ends = writes.map((write) => (writes.length === 1 ? write.run() : this.#runOne(write)));
      this.run(COMMIT);
      this.#carried.splice(0, carried);
      return ends;
    } catch (error) {
      // After some errors SQLite has rolled back by itself, e.g. on a full disk.
      if (this.#database.isTransaction) this.run(ROLLBACK);
      throw error;
    }
  }

  #runOne({ run, reject }: JoinedWrite): () => void {
    this.run(SAVE);
    try {
      const end = run();
      this.run(RELEASE);
      return end;
    } catch (error) {
      // If SQLite has ended the transaction, the other writes are undone as well.
      if (isBusy(error) || !this.#database.isTransaction) throw error;
      this.run(UNDO_ONE);
      this.run(RELEASE);
      const failure = sqliteFailure(this.path, error);
      return () => reject(failure);
    }
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    this.#onStatement(sql);
    return statement;
  }

  /** A setting of the connection. It must not change within a transaction. */
  #setSynchronous(synchronous: 'NORMAL' | 'FULL'): void {
    if (this.#synchronous === synchronous) return;
    this.exec(`PRAGMA synchronous = ${synchronous}`);
    this.#synchronous = synchronous;
  }

  #keepHouse(): void {
    if (this.clock.monotonic() < this.#housekeepingAtMs) return;
    const isMoreLeft = this.housekeeping(this.nowMs);
    if (!isMoreLeft) this.#housekeepingAtMs = this.clock.monotonic() + HOUSEKEEPING_MS;
  }

  async #whenFree<Answer>(attempt: () => Answer, signal: AbortSignal | undefined): Promise<Answer> {
    while (this.#waiting !== undefined) await this.#waiting;
    const first = this.#attempt(attempt, signal);
    if (first !== LOCKED) return first.answer;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = promise;
    try {
      return await this.#persist(attempt, signal);
    } finally {
      this.#waiting = undefined;
      resolve();
    }
  }

  async #persist<Answer>(attempt: () => Answer, signal: AbortSignal | undefined): Promise<Answer> {
    const untilMs = this.clock.monotonic() + PATIENCE_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await this.clock.sleep(pauseMs, signal);
      const result = this.#attempt(attempt, signal);
      if (result !== LOCKED) return result.answer;
      if (this.clock.monotonic() < untilMs) continue;
      throw new InfrastructureError(
        `the state file ${this.path} was locked by another process for ${PATIENCE_MS / 1_000} s: find out which one is stopped or stuck`,
        { data: { path: this.path } },
      );
    }
  }

  #attempt<Answer>(attempt: () => Answer, signal: AbortSignal | undefined): { answer: Answer } | typeof LOCKED {
    signal?.throwIfAborted();
    if (!this.#isOpen) throw new InfrastructureError(`the state file ${this.path} is closed`);
    try {
      return { answer: attempt() };
    } catch (error) {
      if (isBusy(error)) return LOCKED;
      throw sqliteFailure(this.path, error);
    }
  }
}

const LOCKED = Symbol('locked');

function isWanted({ signal, reject }: JoinedWrite): boolean {
  if (signal?.aborted !== true) return true;
  reject(signal.reason);
  return false;
}

function mustBeDurable({ isDurable }: JoinedWrite): boolean {
  try {
    return isDurable();
  } catch {
    // The write itself gets the same error, and does not undo other writes.
    return true;
  }
}
