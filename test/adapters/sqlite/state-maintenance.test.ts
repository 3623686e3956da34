import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateFileError } from '../../../lib/adapters/sqlite/sqlite-failure.ts';
import {
  backUpState,
  checkStateFile,
  removeState,
  restoreState,
} from '../../../lib/adapters/sqlite/state-maintenance.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { changeFile, entropy, openTestState, queryFile, temporaryDirectory } from './test-state.ts';
import { dump, NOW, queuesOf, STEPS } from './workload.ts';

describe('the maintenance of a state file', () => {
  let folder: string;
  let directory: string;
  let path: string;
  let backup: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    directory = join(folder, 'state');
    path = join(directory, 'evenkeel.db');
    backup = join(folder, 'backup.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = () => openTestState({ directory, clock: new ManualClock(NOW) });

  async function runWorkload(): Promise<void> {
    const { state } = await open();
    const queues = queuesOf(state);
    for (const step of STEPS) await step.run(state, queues);
    state.close();
  }

  async function incarnations(clusters: readonly string[]): Promise<number[]> {
    const { state } = await open();
    const states = await Promise.all(clusters.map((cluster) => state.store.readCluster(cluster)));
    state.close();
    return states.map(({ incarnation }) => incarnation);
  }

  it('R-5.19 a check of a state file in use finds no fault', async () => {
    const { state } = await open();
    const queues = queuesOf(state);
    for (const step of STEPS) {
      await step.run(state, queues);
      expect(await checkStateFile(directory)).toEqual([]);
    }
    state.close();
  });

  it.each([
    ['a group has lost its messages', 'DELETE FROM fifo_message', /message groups have no messages/],
    ['a message has lost its group', 'DELETE FROM fifo_group', /messages belong to no group/],
    ['a group stays hidden', 'UPDATE fifo_group SET hidden_until = 9e15', /hidden longer than their messages/],
  ])('R-5.19 a check reports it when %s', async (_what, change, message) => {
    await runWorkload();
    changeFile(path, change);
    expect(await checkStateFile(directory)).toEqual([expect.stringMatching(message)]);
  });

  it('R-5.19 a check names damage in the middle of the file', async () => {
    await runWorkload();
    const damaged = readFileSync(path);
    const page = damaged.indexOf(Buffer.from('secretcontracts.evenkeel.dev')) & ~4095;
    expect(page).toBeGreaterThan(4_096);
    damaged.fill(0x5a, page, page + 200);
    writeFileSync(path, damaged);
    const found = await checkStateFile(directory).catch((error: unknown) => [String(error)]);
    expect(found.length).toBeGreaterThan(0);
  });

  it('R-6.4 a check of a directory without a state file says that there is none', async () => {
    mkdirSync(directory);
    await expect(checkStateFile(directory)).rejects.toThrow(/there is no state file/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('R-5.24 a backup of a state in use holds everything that was acknowledged, and only its user can read it', async () => {
    const { state } = await open();
    const queues = queuesOf(state);
    for (const step of STEPS) await step.run(state, queues);
    await backUpState(directory, backup, entropy);
    expect(dump(backup)).toBe(dump(path));
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    await state.store.setPaused('local', false);
    expect(dump(backup)).not.toBe(dump(path));
    state.close();
    expect(readdirSync(folder).sort()).toEqual(['backup.sqlite', 'state']);
  });

  it('R-6.4 a backup does not write over a file', async () => {
    await runWorkload();
    writeFileSync(backup, 'precious');
    await expect(backUpState(directory, backup, entropy)).rejects.toThrow(StateFileError);
    expect(readFileSync(backup, 'utf8')).toBe('precious');
  });

  it.each([
    ['over a newer state', true],
    ['in a new directory', false],
  ])(
    'R-5.8 a backup that is restored %s is whole, and every cluster starts a new incarnation',
    async (_where, isThere) => {
      await runWorkload();
      const first = await open();
      await first.state.store.setPaused('second', false);
      first.state.close();
      const before = await incarnations(['local', 'second', 'never-written']);
      await backUpState(directory, backup, entropy);
      const kept = dump(backup);
      if (isThere) {
        const { state } = await open();
        await state.store.startIncarnation('local', 2);
        state.close();
      } else rmSync(directory, { recursive: true });
      const aside = await restoreState(backup, directory, entropy);
      expect(await checkStateFile(directory)).toEqual([]);
      expect(await incarnations(['local', 'second', 'never-written'])).toEqual([
        (before[0] ?? 0) + 1,
        (before[1] ?? 0) + 1,
        1,
      ]);
      const messages = 'SELECT id, body FROM fifo_message';
      expect(queryFile(path, messages)).toEqual(queryFile(backup, messages));
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(dump(backup)).toBe(kept);
      expect(aside !== undefined && existsSync(aside)).toBe(isThere);
    },
  );

  it('R-6.4 a backup is not restored while a process uses the state, and nothing is changed', async () => {
    await runWorkload();
    await backUpState(directory, backup, entropy);
    const { state } = await open();
    await state.store.setPaused('local', false);
    const held = dump(path);
    await expect(restoreState(backup, directory, entropy)).rejects.toThrow(/is in use: stop evenkeel/);
    expect(dump(path)).toBe(held);
    await state.store.setPaused('local', true);
    state.close();
    await restoreState(backup, directory, entropy);
  });

  it.each([
    ['is another file', (file: string) => writeFileSync(file, 'x'.repeat(200)), /is not a state file/],
    ['is damaged', (file: string) => changeFile(file, 'DELETE FROM fifo_group'), /is damaged/],
    ['is of a newer release', (file: string) => changeFile(file, 'PRAGMA user_version = 99'), /newer release/],
  ])('R-6.4 a backup is refused and the state left as it is when the backup %s', async (_what, spoil, message) => {
    await runWorkload();
    await backUpState(directory, backup, entropy);
    spoil(backup);
    const held = dump(path);
    await expect(restoreState(backup, directory, entropy)).rejects.toThrow(message);
    expect(dump(path)).toBe(held);
    expect(readdirSync(directory).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('R-6.4 a state is removed whole, unless a process uses it or it is not ours', async () => {
    await removeState(directory);
    const { state } = await open();
    await expect(removeState(directory)).rejects.toThrow(/is in use: stop evenkeel/);
    state.close();
    await removeState(directory);
    expect(readdirSync(directory)).toEqual([]);
    writeFileSync(path, 'a text of somebody');
    await expect(removeState(directory)).rejects.toThrow(StateFileError);
    expect(readFileSync(path, 'utf8')).toBe('a text of somebody');
  });
});
