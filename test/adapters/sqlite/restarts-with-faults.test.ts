import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStateFile } from '../../../lib/adapters/sqlite/state-maintenance.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { type Mount, mountSmall, whyNoMount } from './mounts.ts';
import { bundleScript, runScript } from './processes/run-process.ts';
import { openTestState, temporaryDirectory } from './test-state.ts';

/** EVENKEEL_RESTARTS=1000 for a long run. */
const RESTARTS = Number(process.env.EVENKEEL_RESTARTS ?? 50);
const MOST_STATEMENTS = 2_000;
const DISK_KB = 16_384;
/** The free space in a restart with a full disk; enough for some passes. */
const LEFT_KB = 600;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES = 4_096;

const why = whyNoMount();

describe(`a state file over many restarts${why === undefined ? '' : ` (its disk is never full: ${why})`}`, () => {
  let folder: string;
  let disk: Mount | undefined;
  let script: string;
  beforeAll(async () => {
    folder = temporaryDirectory();
    disk = why === undefined ? mountSmall(`${DISK_KB}k`) : undefined;
    script = await bundleScript('effects-process', folder);
  });
  afterAll(() => {
    disk?.unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`R-1.20 R-5.5 R-5.21 no durable value that an effect rested on is lost or given twice over ${RESTARTS} restarts with kills, power losses, full disks and lost answers`, {
    timeout: 60_000 + RESTARTS * 6_000,
  }, async () => {
    const directory = join(disk?.directory ?? folder, 'state');
    mkdirSync(directory, { mode: 0o700 });
    const path = join(directory, 'evenkeel.db');
    const random = new SeededEntropy(11);
    const ledger = new Ledger();
    const faults = { kills: 0, cuts: 0, full: 0, lost: 0 };
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      // When its last user has closed it, the file has no log. So the length of the log shows how far this process
      // wrote.
      const { state } = await openTestState({ directory });
      await state.store.readCluster('local');
      state.close();
      const killAt = Math.floor(random.random() * MOST_STATEMENTS);
      const removeBallast = restart % 5 === 0 ? fillDisk(random) : () => {};
      const { lines, errors, signal } = await runScript(script, [directory, String(restart), String(killAt)]);
      removeBallast();
      expect({ restart, errors }).toEqual({ restart, errors: '' });
      if (signal !== null) faults.kills += 1;
      faults.lost += lines.filter((line) => line === 'fault lost').length;
      faults.full += lines.includes('fault full') ? 1 : 0;
      const effects = lines.filter((line) => !line.startsWith('fault'));
      for (const line of effects) ledger.add(restart, line);
      const syncedBytes = Number(effects.at(-1)?.split(' ')[3] ?? 0);
      if (restart % 2 === 0 && losePower(path, syncedBytes, random)) faults.cuts += 1;
      await ledger.check(restart, directory);
      expect({ restart, faults: await checkStateFile(directory) }).toEqual({ restart, faults: [] });
    }
    console.log(JSON.stringify({ restarts: RESTARTS, effects: ledger.effects, ...faults }));
    expect(ledger.effects).toBeGreaterThan(RESTARTS * 5);
    expect(faults.kills).toBeGreaterThan(RESTARTS / 5);
    expect(faults.cuts).toBeGreaterThan(RESTARTS / 5);
    expect(faults.lost).toBeGreaterThan(RESTARTS / 5);
    if (disk !== undefined) expect(faults.full).toBeGreaterThan(RESTARTS / 20);
  });

  /** Leaves little free space. @returns a function that frees it again. */
  function fillDisk(random: SeededEntropy): () => void {
    if (disk === undefined) return () => {};
    const ballast = join(disk.directory, 'ballast');
    const used = statSync(join(disk.directory, 'state', 'evenkeel.db')).size / 1_024;
    writeFileSync(ballast, Buffer.alloc((DISK_KB - used - random.random() * LEFT_KB) * 1_024));
    return () => rmSync(ballast);
  }

  /**
   * Only a part of what was written after the last durable write reaches the disk. A checkpoint writes the log to the
   * disk before it copies its pages into the file. So a power loss takes nothing that the checkpoint may have copied.
   */
  function losePower(path: string, syncedBytes: number, random: SeededEntropy): boolean {
    const log = `${path}-wal`;
    const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const keptBytes = Math.max(syncedBytes, copiedBytes(path));
    if (bytes <= keptBytes) return false;
    truncateSync(log, keptBytes + Math.floor(random.random() * (bytes - keptBytes)));
    rmSync(`${path}-shm`, { force: true });
    return true;
  }
});

/**
 * How much of the log a checkpoint has begun to copy: `nBackfillAttempted` of the log's index
 * (sqlite.org/walformat.html).
 */
function copiedBytes(path: string): number {
  const index = existsSync(`${path}-shm`) ? readFileSync(`${path}-shm`) : Buffer.alloc(0);
  const frames = index.length < 132 ? 0 : index.readUInt32LE(128);
  return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + PAGE_BYTES);
}

/** The effects outside of the file, by object. */
class Ledger {
  effects = 0;
  readonly #last = new Map<string, number>();

  /** A lost value would appear again as a new one. A value that was given twice would leave a gap. */
  add(restart: number, line: string): void {
    const [uid = '', text, kind] = line.split(' ');
    const count = Number(text);
    const last = this.#last.get(uid) ?? 0;
    const wanted = kind === 'new' || count !== last ? last + 1 : last;
    expect({ restart, uid, kind, count }).toEqual({ restart, uid, kind, count: wanted });
    this.#last.set(uid, count);
    this.effects += 1;
  }

  /** The file contains each effect, and at most one more value, whose effect comes with the next pass. */
  async check(restart: number, directory: string): Promise<void> {
    const { state } = await openTestState({ directory });
    for (const [uid, effect] of this.#last) {
      const known = await state.store.readTarget({ cluster: 'local', kind: 'widgets.evenkeel.dev', uid });
      const count = Number(known?.values.count ?? 0);
      expect({ restart, uid, count }).toEqual({ restart, uid, count: count === effect + 1 ? count : effect });
    }
    state.close();
  }
}
