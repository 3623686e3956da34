import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { ClusterGate } from '../../../lib/engine/breaker/cluster-gate.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RecordedMetrics } from '../../../lib/testing/recorders.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';

let clock: ManualClock;
let store: MemoryStateStore;
let gate: ClusterGate;
const newGate = () => new ClusterGate(store, clock, new SeededEntropy(), new RecordedMetrics());

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStateStore({ clock });
  gate = newGate();
});

async function failTimes(count: number): Promise<void> {
  for (let time = 0; time < count; time += 1) await gate.failed('dead', new ApiError('Unreachable', 'refused'));
}

describe('ClusterGate', () => {
  it('R-5.14 opens after repeated connection failures, for that cluster alone', async () => {
    await failTimes(4);
    expect(await gate.check('dead')).toEqual({ open: true });
    await failTimes(1);
    expect(await gate.check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
    expect(await gate.check('other')).toEqual({ open: true });
  });

  it('R-5.14 lets one probe through at a time, and closes when it succeeds', async () => {
    await failTimes(5);
    await clock.advance(5_000);
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toMatchObject({ open: false });
    await gate.succeeded('dead');
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toEqual({ open: true });
  });

  it('R-5.14 a probe that fails for a reason of its own makes way for the next one', async () => {
    await failTimes(5);
    await clock.advance(5_000);
    expect(await gate.check('dead')).toEqual({ open: true });
    await gate.failed('dead', new TypeError('of the controller'));
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toMatchObject({ open: false });
  });

  it('R-5.14 each failed probe opens it for longer, up to a cap', async () => {
    const spans: number[] = [];
    await failTimes(5);
    for (let probe = 0; probe < 8; probe += 1) {
      const openUntilMs = (await store.readCluster('dead')).breakerOpenUntilMs ?? 0;
      spans.push(openUntilMs - clock.now());
      await clock.advance(openUntilMs - clock.now());
      await failTimes(1);
    }
    expect(Math.max(...spans)).toBeLessThanOrEqual(60_000);
    expect(spans.at(-1)).toBeGreaterThan(5_000);
  });

  it.each([
    ['set back by an hour', -3_600_000],
    ['set back by ten minutes', -600_000],
    ['set forward by ten minutes', 600_000],
  ])(
    'R-1.29 a clock that is %s neither shortens nor lengthens the time that the breaker is open',
    async (_how, stepMs) => {
      await failTimes(5);
      const openMs = ((await store.readCluster('dead')).breakerOpenUntilMs ?? 0) - clock.now();
      clock.step(stepMs);
      await clock.advance(openMs - 1);
      expect(await gate.check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
      await clock.advance(1);
      expect(await gate.check('dead')).toEqual({ open: true });
    },
  );

  it('R-1.29 a breaker that is open puts passes off by the clock as it is now', async () => {
    await gate.failed('dead', new ApiError('TooManyRequests', 'slow down', { retryAfterMs: 30_000 }));
    clock.step(-600_000);
    const untilMs = clock.now() + 30_000;
    expect(await gate.check('dead')).toEqual({ open: false, reason: 'ClusterThrottled', untilMs });
  });

  it('R-1.29 what another worker wrote by a clock that was ahead does not keep it closed for the difference', async () => {
    await failTimes(5);
    clock.step(-600_000);
    expect(await newGate().check('dead')).toEqual({ open: true });
  });

  it('R-5.14 other workers learn of it through the table', async () => {
    await failTimes(5);
    expect(await newGate().check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
  });

  it("R-5.14 throttling puts the cluster's passes off for the time the server asked for", async () => {
    await gate.failed('busy', new ApiError('TooManyRequests', '429', { status: 429, retryAfterMs: 7_000 }));
    expect(await gate.check('busy')).toEqual({ open: false, reason: 'ClusterThrottled', untilMs: clock.now() + 7_000 });
    await clock.advance(7_000);
    expect(await gate.check('busy')).toEqual({ open: true });
  });

  it('an answer of the server, even a refusal, is no connection failure', async () => {
    await failTimes(4);
    await gate.failed('dead', new ApiError('Forbidden', '403', { status: 403 }));
    await failTimes(4);
    expect(await gate.check('dead')).toEqual({ open: true });
  });

  it('R-6.7 a pause is seen within its bounded time', async () => {
    expect(await gate.check('paused')).toEqual({ open: true });
    await store.setPaused('paused', true);
    await clock.advance(10_000);
    expect(await gate.check('paused')).toMatchObject({ open: false, reason: 'ClusterPaused' });
  });

  it('R-6.7 of passes that ask together, before anything was read, a pause lets none through', async () => {
    await store.setPaused('paused', true);
    const answers = store.readCluster.bind(store);
    let reads = 0;
    store.readCluster = async (cluster) => {
      reads += 1;
      await nextTurn();
      return await answers(cluster);
    };
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => gate.check('paused')));
    expect(verdicts.map(({ open }) => open)).toEqual(Array(10).fill(false));
    expect(reads).toBe(1);
  });

  it('R-6.7 a table that does not answer lets no pass through, neither the one that asked nor those after it', async () => {
    await store.setPaused('paused', true);
    const answers = store.readCluster.bind(store);
    store.readCluster = () => Promise.reject(new InfrastructureError('no answer'));
    await expect(gate.check('paused')).rejects.toThrow(InfrastructureError);
    await expect(gate.check('paused')).rejects.toThrow(InfrastructureError);
    store.readCluster = answers;
    expect(await gate.check('paused')).toMatchObject({ open: false, reason: 'ClusterPaused' });
  });
});
