import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readRunRecord } from '../../cli/state/run-record.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

/** Makes the starter take its Node.js for one that is too old. The child does not ask. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
const ENVIRONMENT = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(OLD)}` };
/** Long enough for a process to end, and short enough that one left running is named. */
const LEFT_RUNNING_MS = 60_000;

// Below npm a process ends with its parent for another reason.
beforeEach(() => vi.stubEnv('npm_command', undefined));
afterEach(() => vi.unstubAllEnvs());

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ends the process that a test found, whatever became of the test. */
function ending(pid: number): Disposable {
  return {
    [Symbol.dispose]: () => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    },
  };
}

const end = (pid: number) =>
  eventually(`end of process ${pid}`, async () => (isAlive(pid) ? undefined : true), LEFT_RUNNING_MS);

describe('evenkeel on a Node.js that is too old', () => {
  it('R-6.4 a kill of the starter ends the started process, which frees its folder', async () => {
    await using folder = new EvenkeelFolder();
    const starter = folder.spawn(['start', '--empty'], ENVIRONMENT);
    await starter.line(/^ready/);
    const { pid } = readRunRecord(join(folder.path, '.evenkeel'));
    using _ = ending(pid);
    expect(pid).not.toBe(starter.pid);
    process.kill(starter.pid, 'SIGKILL');
    await end(pid);
    expect(existsSync(join(folder.path, '.evenkeel', 'lock'))).toBe(false);
  });

  it('R-6.4 a kill of the starter ends a process that is still starting', async () => {
    await using folder = new EvenkeelFolder();
    const starter = folder.spawn(['start', '--empty'], ENVIRONMENT);
    const pid = await eventually('lock', async () => {
      const lock = join(folder.path, '.evenkeel', 'lock');
      return existsSync(lock) ? Number(readFileSync(lock, 'utf8').split(' ')[0]) || undefined : undefined;
    });
    using _ = ending(pid);
    expect(pid).not.toBe(starter.pid);
    process.kill(starter.pid, 'SIGKILL');
    await end(pid);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('R-6.4 %s to the starter ends both as it ends one', async (signal) => {
    await using folder = new EvenkeelFolder();
    const starter = folder.spawn(['start', '--empty'], ENVIRONMENT);
    await starter.line(/^ready/);
    const { pid } = readRunRecord(join(folder.path, '.evenkeel'));
    using _ = ending(pid);
    const finished = await starter.stop(signal);
    expect(finished).toMatchObject({ code: 0, err: expect.stringContaining('stopped') });
    expect(isAlive(pid)).toBe(false);
  });

  it('R-6.4 a command that ends by itself is not held by its starter, and keeps its exit code', async () => {
    await using folder = new EvenkeelFolder();
    expect(await folder.run(['--version'], ENVIRONMENT)).toMatchObject({ code: 0, err: '' });
    expect(await folder.run(['list'], ENVIRONMENT)).toMatchObject({ code: 1 });
    expect(await folder.run(['lsit'], ENVIRONMENT)).toMatchObject({ code: 2 });
  });
});
