import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { claimStateDirectory } from '../../cli/state/state-directory.ts';
import { openLocalState } from '../../cli/wiring-state.ts';
import { changeFile } from '../adapters/sqlite/test-state.ts';
import { committed, KIND } from '../contract/state-store/subject.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

const target = { cluster: 'local', kind: KIND, uid: 'u-1', namespace: 'default', name: 'web' };
const values = { content: 'mark:digest', revision: 2 };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-transfer-'));
  file = join(folder, 'local.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(directory: string, ...args: string[]) {
  const terminal = new RecordedTerminal();
  const state = ['--state-dir', join(folder, directory)];
  const code = await runCommandLine([...args, ...state], terminal, COMMANDS, () => 'unforeseen');
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

const open = async (directory: string) =>
  (await openLocalState(join(folder, directory), ['secret-contract'], 'test')).sqlite;

async function stored(directory: string) {
  const state = await open(directory);
  const found = await state.store.readTarget(target);
  state.close();
  return found;
}

describe('evenkeel export and evenkeel import', () => {
  it('R-5.21 import records in another state directory what export wrote', async () => {
    const state = await open('old');
    await committed(state.store, target, { values, observedVersion: 7 });
    state.close();
    const exported = await run('old', 'export', file);
    expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('1 objects of cluster local') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const imported = await run('new', 'import', file);
    expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('1 objects of cluster local') });
    expect(await stored('new')).toMatchObject({ target, values });
    expect(await run('new', 'import', file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('were left as they are'),
    });
  });

  it('R-5.19 export names an object whose item cannot be read, and writes the others', async () => {
    const state = await open('old');
    await committed(state.store, target, { values });
    await committed(state.store, { ...target, uid: 'u-2', name: 'api' }, { values });
    state.close();
    changeFile(state.path, `UPDATE item SET body = json_set(body, '$.epoch', 'x') WHERE sk = 'u-2'`);
    const exported = await run('old', 'export', file);
    expect(exported).toMatchObject({ code: 1, err: expect.stringContaining('default/api') });
    expect(JSON.parse(readFileSync(file, 'utf8')).objects).toHaveLength(1);
  });

  it('R-6.4 export says that there is no state in a folder, and makes none', async () => {
    expect(await run('nowhere', 'export', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/there is no state in .*nowhere/),
    });
    expect(statSync(join(folder, 'nowhere'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('R-6.4 import refuses a folder from which evenkeel runs, a file that is missing, and one of something else', async () => {
    expect(await run('new', 'import', file)).toMatchObject({ code: 1, err: expect.stringMatching(/cannot be read/) });
    writeFileSync(file, '{}');
    expect(await run('new', 'import', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/was not written by evenkeel export/),
    });
    const state = await open('old');
    state.close();
    await run('old', 'export', file);
    const running = claimStateDirectory(join(folder, 'new'), process.ppid);
    expect(await run('new', 'import', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/runs from .*new already/),
    });
    running.release();
  });
});
