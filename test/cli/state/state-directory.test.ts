import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunRecord, readRunRecord, writeRunRecord } from '../../../cli/state/run-record.ts';
import { runningRecord } from '../../../cli/state/running-record.ts';
import { claimStateDirectory } from '../../../cli/state/state-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const RECORD: RunRecord = {
  v: 1,
  pid: 1,
  startedAt: '2026-01-01T00:00:00Z',
  version: '0.1.0',
  cluster: { name: 'local', kubeconfig: 'kubeconfig', context: 'evenkeel', embedded: true },
  state: 'evenkeel.db',
};

describe('claimStateDirectory', () => {
  it('makes the folder for its owner alone', () => {
    const path = join(folder, 'a', 'b');
    claimStateDirectory(path, process.pid);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('R-6.4 a second start names the process that runs and what to do', () => {
    claimStateDirectory(folder, process.pid);
    expect(() => claimStateDirectory(folder, process.pid)).toThrow(
      new RegExp(`runs from ${folder} already, with process id ${process.pid}. Stop it .*--state-dir DIR`),
    );
  });

  it('is free again once released, and its record is gone', () => {
    const state = claimStateDirectory(folder, process.pid);
    writeRunRecord(folder, RECORD);
    state.release();
    expect(existsSync(join(folder, 'run.json'))).toBe(false);
    claimStateDirectory(folder, process.pid).release();
  });

  it('the lock of a process that was killed is taken over', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    claimStateDirectory(folder, child.pid ?? 0);
    expect(() => claimStateDirectory(folder, process.pid)).toThrow(`process id ${child.pid}`);
    child.kill('SIGKILL');
    await ended;
    claimStateDirectory(folder, process.pid).release();
  });

  it('a process id that was given to another process does not hold the folder', () => {
    writeFileSync(join(folder, 'lock'), `${process.pid} 1`);
    claimStateDirectory(folder, process.pid).release();
  });

  it('a lock that was overwritten is not released by its former holder', () => {
    const state = claimStateDirectory(folder, process.pid);
    writeFileSync(join(folder, 'lock'), 'another');
    state.release();
    expect(existsSync(join(folder, 'lock'))).toBe(true);
  });

  it.each(['/proc/evenkeel', '/proc/evenkeel/deeper', '/dev/null/deeper'])(
    'R-6.4 a folder that cannot be made (%s) is refused with what to do',
    (path) => {
      expect(() => claimStateDirectory(path, process.pid)).toThrow(
        /cannot be used as the state directory: .*--state-dir DIR/,
      );
    },
  );

  it('R-6.4 a path that is no folder is refused with what to do', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => claimStateDirectory(file, process.pid)).toThrow(
      /cannot be used as the state directory: .*--state-dir DIR/,
    );
  });
});

describe('readRunRecord', () => {
  it('gives back what was written', () => {
    writeRunRecord(folder, RECORD);
    expect(readRunRecord(folder)).toEqual(RECORD);
  });

  it('R-6.4 says how to start where nothing runs', () => {
    expect(() => readRunRecord(folder)).toThrow(`nothing runs from ${folder}. Run npm start there`);
  });

  it.each(['', '{"v":1}', 'not json', '{"v":2}'])('R-6.4 a record that reads %j is refused', (text) => {
    writeFileSync(join(folder, 'run.json'), text);
    expect(() => readRunRecord(folder)).toThrow('was not written by this release');
  });
});

describe('runningRecord', () => {
  it('is the record of the process that holds the folder', () => {
    claimStateDirectory(folder, process.pid);
    writeRunRecord(folder, { ...RECORD, pid: process.pid });
    expect(runningRecord(folder)).toMatchObject({ pid: process.pid });
  });

  it('R-6.4 what was killed left a record: nothing runs any more, and it says what to do', () => {
    writeFileSync(join(folder, 'lock'), `${process.pid} 1`);
    writeRunRecord(folder, { ...RECORD, pid: process.pid });
    expect(() => runningRecord(folder)).toThrow(
      new RegExp(
        `nothing runs from ${folder} any more: process ${process.pid} exited uncleanly. Run evenkeel start there again`,
      ),
    );
  });

  it('R-6.4 the record of one that was killed is not taken for that of one that is starting', () => {
    claimStateDirectory(folder, process.pid);
    writeRunRecord(folder, { ...RECORD, pid: process.pid + 1 });
    expect(() => runningRecord(folder)).toThrow(`process id ${process.pid}, and is still starting. Wait`);
  });
});
