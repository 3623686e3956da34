import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { claimStateDirectory } from '../../cli/state/state-directory.ts';
import { openLocalState } from '../../cli/wiring-state.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

let folder: string;
let directory: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-backup-'));
  directory = join(folder, 'state');
  file = join(folder, 'backup.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const terminal = new RecordedTerminal();
  const code = await runCommandLine([...args, '--state-dir', directory], terminal, COMMANDS, () => 'unforeseen');
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

const open = async () => (await openLocalState(directory, ['secret-contract'], 'test')).sqlite;

/** Clusters with their incarnation, and whether they are paused. */
async function clusters(...names: string[]) {
  const state = await open();
  const states = await Promise.all(names.map((name) => state.store.readCluster(name)));
  state.close();
  return states.map(({ incarnation, paused }) => [incarnation, paused]);
}

describe('evenkeel backup and evenkeel restore', () => {
  it('R-5.21 R-5.8 restore puts back a backup that was made while evenkeel ran, in a new incarnation of every cluster', async () => {
    const state = await open();
    await state.store.setPaused('east', true);
    await state.store.startIncarnation('west', 1);
    expect(await run('backup', file)).toMatchObject({ code: 0, err: '', out: expect.stringContaining(file) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await state.store.setPaused('east', false);
    await state.store.setPaused('west', true);
    state.close();
    const restored = await run('restore', file);
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(await clusters('east', 'west')).toEqual([
      [2, true],
      [3, false],
    ]);
    const [before = ''] = readdirSync(directory).filter((name) => name.includes('before-restore'));
    expect(restored.out).toContain(before);
    expect(readdirSync(directory).sort()).toEqual(['evenkeel.db', before].sort());
  });

  it('R-6.4 a backup replaces no other file, and names the file that cannot be written', async () => {
    (await open()).close();
    writeFileSync(file, 'another one');
    expect(await run('backup', file)).toMatchObject({ code: 1, err: expect.stringContaining('was left as it is') });
    expect(readFileSync(file, 'utf8')).toBe('another one');
    const nowhere = join(folder, 'none', 'backup.db');
    expect(await run('backup', nowhere)).toMatchObject({ code: 1, err: expect.stringContaining(nowhere) });
    expect(await run('backup', join(file, 'below'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/STATE|below/),
    });
  });

  it('R-6.4 a restore is refused while something runs there, and for what is no backup; the state stays', async () => {
    const state = await open();
    await state.store.setPaused('east', true);
    await run('backup', file);
    const running = claimStateDirectory(directory, process.pid);
    expect(await run('restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('already') });
    running.release();
    // A part that joined has the file open still.
    expect(await run('restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('is in use') });
    state.close();
    writeFileSync(file, 'no backup');
    expect(await run('restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('not a state file') });
    expect(await run('restore', join(folder, 'none'))).toMatchObject({ code: 1, err: expect.stringContaining('none') });
    expect(await clusters('east')).toEqual([[1, true]]);
    expect(existsSync(join(directory, 'lock'))).toBe(false);
  });
});

describe('evenkeel doctor of a state directory', () => {
  it('R-6.4 the doctor reports that a state is sound, also while it is in use, or what is damaged', async () => {
    const state = await open();
    expect(await run('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('is sound') });
    await state.store.setPaused('east', true);
    for (let index = 0; index < 300; index += 1) await state.store.countFailure(`message-${index}`, 1);
    state.close();
    const path = join(directory, 'evenkeel.db');
    const damaged = readFileSync(path);
    damaged.fill(0x5a, damaged.length - 8_192, damaged.length - 4_096);
    damaged.fill(0x5a, 12_288, 16_384);
    writeFileSync(path, damaged);
    const found = await run('doctor', '-o', 'json');
    expect(found.code).toBe(1);
    expect(found.out + found.err).toMatch(/damaged/);
  });

  it('R-6.4 the doctor names a directory without a state, and takes one deployment at a time', async () => {
    expect(await run('doctor')).toMatchObject({ code: 1, err: expect.stringContaining('there is no state file') });
    expect(await run('doctor', '--stage', 'prod')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Leave one of them out'),
    });
  });
});
