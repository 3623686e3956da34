import { existsSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, sqliteFailure } from './sqlite-failure.ts';
import { type Sqlite, writeEmptyFile } from './state-file.ts';

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
    makeFile(path);
    const database = new sqlite.DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return new ProcessLock(path, database);
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      throw sqliteFailure(path, error);
    }
  }

  /** Gives the lock back and removes its file. */
  remove(): void {
    // While it is held: a process that opens the path after this makes another file.
    rmSync(this.#path, { force: true });
    this.#database.close();
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
