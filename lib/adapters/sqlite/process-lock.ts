import { existsSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, sqliteFailure } from './sqlite-failure.ts';
import { type Sqlite, writeEmptyFile } from './state-file.ts';

/** A lock that nothing refers to would be collected, and free although its process lives. */
const HELD = new Set<ProcessLock>();

/**
 * A lock that the system takes away when its process ends, however it ends. A stopped process keeps it. Node has no call for
 * such a lock, and SQLite has: it is a transaction on an empty file that never ends.
 */
export class ProcessLock {
  readonly #path: string;
  readonly #database: DatabaseSync;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
  }

  /** Undefined while another one holds it. The file is made if there is none. @throws InfrastructureError */
  static take(sqlite: Sqlite, path: string): ProcessLock | undefined {
    for (;;) {
      makeFile(path);
      const file = fileAt(path);
      const database = new sqlite.DatabaseSync(path, { timeout: 0 });
      try {
        database.exec('BEGIN EXCLUSIVE');
        // Others do not see a lock on a removed file: they would give back what this process holds, although it is alive.
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

  /** Gives the lock back and removes its file. */
  remove(): void {
    // While it is held: a process that opens the path after this makes another file.
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

/** Identifies the file that the path names now; undefined if there is none. */
function fileAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
