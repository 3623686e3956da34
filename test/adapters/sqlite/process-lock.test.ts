import { existsSync, rmSync } from 'node:fs';
import type { DatabaseSyncOptions } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProcessLock } from '../../../lib/adapters/sqlite/process-lock.ts';
import { loadSqlite } from '../../../lib/adapters/sqlite/sqlite-module.ts';
import type { Sqlite } from '../../../lib/adapters/sqlite/state-file.ts';
import { temporaryDirectory } from './test-state.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = `${directory}/process-one.lock`;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Removes the first file after SQLite has opened it, like another process that has just found it free. */
function removingFirst(sqlite: Sqlite): Sqlite {
  let isFirst = true;
  class DatabaseSync extends sqlite.DatabaseSync {
    constructor(file: string, options: DatabaseSyncOptions) {
      super(file, options);
      if (isFirst) rmSync(file);
      isFirst = false;
    }
  }
  return { ...sqlite, DatabaseSync } as Sqlite;
}

it('R-5.21 process lock uses a new file when another process removes the file before the lock is taken', async () => {
  const sqlite = await loadSqlite();
  const lock = ProcessLock.take(removingFirst(sqlite), path);
  expect(lock).toBeDefined();
  expect(existsSync(path)).toBe(true);
  expect(ProcessLock.take(sqlite, path)).toBeUndefined();
  lock?.remove();
  const next = ProcessLock.take(sqlite, path);
  expect(next).toBeDefined();
  next?.remove();
  expect(existsSync(path)).toBe(false);
});
