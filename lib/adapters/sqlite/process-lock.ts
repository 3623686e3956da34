import { existsSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, sqliteFailure } from './sqlite-failure.ts';
import { type Sqlite, writeEmptyFile } from './state-file.ts';

/**
 * Keeps a reference to each held lock. Without one, the garbage collector would free the lock while the process lives.
 */
const HELD = new Set<ProcessLock>();

/**
 * A lock that the operating system frees when the process ends, however it ends. A stopped process keeps it. Node.js
 * has no call for such a lock, but SQLite has one: a transaction on an empty file that never ends.
 */
export class ProcessLock {
  readonly #path: string;
  readonly #database: DatabaseSync;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
  }

  /**
   * Undefined while another process holds the lock. The file is created if it does not exist. @throws
   * InfrastructureError
   */
  static take(sqlite: Sqlite, path: string): ProcessLock | undefined {
    for (;;) {
      makeFile(path);
      const file = fileAt(path);
      const database = new sqlite.DatabaseSync(path, { timeout: 0 });
      try {
        database.exec('BEGIN EXCLUSIVE');
        // Other processes do not see a lock on a removed file. They would free everything that this process holds,
        // although it is alive.
        if (file !== undefined && fileAt(path) === file) {
          const lock = new ProcessLock(path, database);
          HELD.add(lock);
          return lock;
        }
      } catch (error) {
        database.close();
        if (isBusy(error)) return undefined;
        // SQLite reports a removed file as a disk error.
        if (fileAt(path) === file) throw sqliteFailure(path, error);
        continue;
      }
      database.close();
    }
  }

  /** Frees the lock and removes its file. */
  remove(): void {
    // The lock is still held here: a process that opens the path after this creates another file.
    rmSync(this.#path, { force: true });
    this.#database.close();
    HELD.delete(this);
  }
}

function makeFile(path: string): void {
  if (existsSync(path)) return;
  try {
    writeEmptyFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Identifies the file that has the path now; undefined when there is none. */
function fileAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
