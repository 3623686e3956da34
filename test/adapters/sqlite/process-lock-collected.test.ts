import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ProcessLock } from '../../../lib/adapters/sqlite/process-lock.ts';
import { loadSqlite } from '../../../lib/adapters/sqlite/sqlite-module.ts';
import { temporaryDirectory } from './test-state.ts';

it('R-5.21 a process keeps its lock when nothing refers to the lock and memory is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const directory = temporaryDirectory();
  try {
    const sqlite = await loadSqlite();
    const path = join(directory, 'process-a.lock');
    expect(ProcessLock.take(sqlite, path) === undefined).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ProcessLock.take(sqlite, path)).toBeUndefined();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
