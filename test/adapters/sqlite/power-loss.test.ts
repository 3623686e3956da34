import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { openTestState, temporaryDirectory } from './test-state.ts';
import { dump, NOW, queuesOf, STEPS } from './workload.ts';

const LOG_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/**
 * The state after a power loss: the part of the log that reached the disk. It contains everything that was written with
 * synchronous=FULL, and any part of what was written after that.
 */
describe('a state file whose machine loses its power', () => {
  let folder: string;
  let log: Buffer;
  /** The file's content after opening, and after each step. */
  const expected: string[] = [];
  /** After each step, the length of the log that contains everything up to the last durable step. */
  const syncedBytes: number[] = [];
  const random = new SeededEntropy(7);
  let images = 0;

  beforeAll(async () => {
    folder = temporaryDirectory();
    const directory = join(folder, 'original');
    const levels: string[] = [];
    const { state } = await openTestState({
      directory,
      clock: new ManualClock(NOW),
      onStatement: (sql) => {
        if (sql.startsWith('PRAGMA synchronous')) levels.push(sql);
      },
    });
    const queues = queuesOf(state);
    const logBytes = () => statSync(`${state.path}-wal`).size;
    expected.push(dump(state.path));
    syncedBytes.push(logBytes());
    for (const step of STEPS) {
      await step.run(state, queues);
      expected.push(dump(state.path));
      if (step.durable === true) expect(levels.at(-1)).toBe('PRAGMA synchronous = FULL');
      syncedBytes.push(step.durable === true ? logBytes() : (syncedBytes.at(-1) ?? 0));
    }
    log = readFileSync(`${state.path}-wal`);
    copyFileSync(state.path, join(folder, 'main'));
    state.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The step after which the file is, when this part of the log reached the disk. */
  async function stepAfter(left: Buffer): Promise<number> {
    images += 1;
    const directory = join(folder, `image-${images}`);
    mkdirSync(directory);
    copyFileSync(join(folder, 'main'), join(directory, 'evenkeel.db'));
    writeFileSync(join(directory, 'evenkeel.db-wal'), left);
    const { state, close } = await openTestState({ directory, clock: new ManualClock(NOW) });
    const found = dump(state.path);
    await close();
    const step = expected.indexOf(found);
    if (step < 0) expect(found).toBe('one of the states that were acknowledged');
    return step;
  }

  /** The last step that a log of this length certainly contains. */
  function sureStep(bytes: number): number {
    let sure = 0;
    for (const [step, synced] of syncedBytes.entries()) {
      const isDurable = step === 0 || STEPS[step - 1]?.durable === true;
      if (isDurable && synced <= bytes) sure = step;
    }
    return sure;
  }

  it('R-1.20 R-5.5 durable values, counters and incarnations are on the disk when they are acknowledged', () => {
    expect(STEPS.filter(({ durable }) => durable === true).length).toBeGreaterThan(4);
    expect(syncedBytes.at(-1)).toBeGreaterThan(LOG_HEADER_BYTES + 20 * FRAME_BYTES);
  });

  it('R-5.5 a state file goes back to a state that was acknowledged, no older than the last durable one, when the log is cut at any frame', {
    timeout: 300_000,
  }, async () => {
    let before = 0;
    for (let bytes = 0; bytes <= log.length; bytes += bytes === 0 ? LOG_HEADER_BYTES : FRAME_BYTES) {
      const step = await stepAfter(log.subarray(0, bytes));
      expect({ bytes, step }).toEqual({ bytes, step: Math.max(step, sureStep(bytes), before) });
      before = step;
    }
    expect(before).toBe(STEPS.length);
  });

  it('R-5.5 a state file goes back to a state that was acknowledged when the log is cut at any byte and rubbish follows', {
    timeout: 300_000,
  }, async () => {
    for (let round = 0; round < 60; round += 1) {
      const bytes = Math.floor(random.random() * log.length);
      const rubbish = Buffer.from(Array.from({ length: 3 * FRAME_BYTES }, () => Math.floor(random.random() * 256)));
      const tail = [Buffer.alloc(0), Buffer.alloc(2 * FRAME_BYTES), rubbish][round % 3] ?? rubbish;
      const step = await stepAfter(Buffer.concat([log.subarray(0, bytes), tail]));
      expect({ bytes, step }).toEqual({ bytes, step: Math.max(step, sureStep(bytes)) });
    }
  });

  it('R-5.5 a state file goes back to a state that was acknowledged when a frame after the last durable one is missing', async () => {
    for (let round = 0; round < 20; round += 1) {
      const frames = Math.floor((log.length - LOG_HEADER_BYTES) / FRAME_BYTES);
      const from = LOG_HEADER_BYTES + Math.floor(random.random() * frames) * FRAME_BYTES;
      const left = Buffer.from(log);
      left.fill(0, from, from + FRAME_BYTES);
      const step = await stepAfter(left);
      expect({ from, step }).toEqual({ from, step: Math.max(step, sureStep(from)) });
    }
  });
});
