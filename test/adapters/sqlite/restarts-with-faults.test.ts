import { rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStateFile } from '../../../lib/adapters/sqlite/state-maintenance.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { bundleScript, runScript } from './processes/run-process.ts';
import { openTestState, temporaryDirectory } from './test-state.ts';

/** EVENKEEL_RESTARTS=1000 for a long run. */
const RESTARTS = Number(process.env.EVENKEEL_RESTARTS ?? 50);
const MOST_STATEMENTS = 700;

describe('a state file over many restarts', () => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = temporaryDirectory();
    script = await bundleScript('effects-process', folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(`R-1.20 R-5.5 no durable value that an effect rested on is lost or given twice over ${RESTARTS} restarts with faults`, {
    timeout: 60_000 + RESTARTS * 6_000,
  }, async () => {
    const directory = join(folder, 'state');
    const path = join(directory, 'evenkeel.db');
    const random = new SeededEntropy(11);
    const last = new Map<string, number>();
    let effects = 0;
    let cuts = 0;
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      // Closed by its last user, the file has no log: so the length of the log shows how far it was written.
      const { state } = await openTestState({ directory });
      await state.store.readCluster('local');
      state.close();
      const killAt = Math.floor(random.random() * MOST_STATEMENTS);
      const { lines, errors } = await runScript(script, [directory, String(restart), String(killAt)]);
      expect({ restart, errors }).toEqual({ restart, errors: '' });
      let syncedBytes = 0;
      for (const line of lines) {
        const [uid = '', count, bytes] = line.split(' ');
        // One more than before: a lost value would come again, a doubled one would be left out.
        expect({ restart, uid, count: Number(count) }).toEqual({ restart, uid, count: (last.get(uid) ?? 0) + 1 });
        last.set(uid, Number(count));
        syncedBytes = Number(bytes);
        effects += 1;
      }
      if (restart % 2 === 0) cuts += losePower(path, syncedBytes, random) ? 1 : 0;
      const skipped = await valuesWithoutEffect(directory, last);
      // Saved by the pass that was killed before its effect.
      expect(skipped.length).toBeLessThanOrEqual(1);
      for (const [uid, count] of skipped) last.set(uid, count);
      expect(await checkStateFile(directory)).toEqual([]);
    }
    expect(effects).toBeGreaterThan(RESTARTS * 5);
    expect(cuts).toBeGreaterThan(RESTARTS / 5);
  });

  /** What was written after the last durable write comes to the disk in part. */
  function losePower(path: string, syncedBytes: number, random: SeededEntropy): boolean {
    const log = `${path}-wal`;
    const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes <= syncedBytes) return false;
    truncateSync(log, syncedBytes + Math.floor(random.random() * (bytes - syncedBytes)));
    rmSync(`${path}-shm`, { force: true });
    return true;
  }

  async function valuesWithoutEffect(directory: string, last: Map<string, number>): Promise<[string, number][]> {
    const { state } = await openTestState({ directory });
    const skipped: [string, number][] = [];
    for (let object = 0; object < 3; object += 1) {
      const uid = `u-${object}`;
      const known = await state.store.readTarget({ cluster: 'local', kind: 'widgets.evenkeel.dev', uid });
      const count = Number(known?.values.count ?? 0);
      const effect = last.get(uid) ?? 0;
      expect({ uid, count }).toEqual({ uid, count: count === effect + 1 ? count : effect });
      if (count !== effect) skipped.push([uid, count]);
    }
    state.close();
    return skipped;
  }
});
