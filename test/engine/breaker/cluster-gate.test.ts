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
  it('R-5.14 the breaker opens after repeated connection failures, only for that cluster', async () => {
    await failTimes(4);
    expect(await gate.check('dead')).toEqual({ open: true });
    await failTimes(1);
    expect(await gate.check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
    expect(await gate.check('other')).toEqual({ open: true });
  });

  it('R-5.14 the breaker allows one probe at a time, and closes when it succeeds', async () => {
    await failTimes(5);
    await clock.advance(5_000);
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toMatchObject({ open: false });
    await gate.succeeded('dead');
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toEqual({ open: true });
  });

  it('R-5.14 the breaker allows another probe when one fails for a reason of its own', async () => {
    await failTimes(5);
    await clock.advance(5_000);
    expect(await gate.check('dead')).toEqual({ open: true });
    await gate.failed('dead', new TypeError('of the controller'));
    expect(await gate.check('dead')).toEqual({ open: true });
    expect(await gate.check('dead')).toMatchObject({ open: false });
  });

  it('R-5.14 the breaker stays open longer after each failed probe, up to a limit', async () => {
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
  ])('R-1.29 a clock that is %s does not change how long the breaker is open', async (_how, stepMs) => {
    await failTimes(5);
    const openMs = ((await store.readCluster('dead')).breakerOpenUntilMs ?? 0) - clock.now();
    clock.step(stepMs);
    await clock.advance(openMs - 1);
    expect(await gate.check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
    await clock.advance(1);
    expect(await gate.check('dead')).toEqual({ open: true });
  });

  it('R-1.29 an open breaker puts passes off by the present clock', async () => {
    await gate.failed('dead', new ApiError('TooManyRequests', 'slow down', { retryAfterMs: 30_000 }));
    clock.step(-600_000);
    const untilMs = clock.now() + 30_000;
    expect(await gate.check('dead')).toEqual({ open: false, reason: 'ClusterThrottled', untilMs });
  });

  it('R-1.29 a time that another worker wrote with a clock that was ahead does not stop passes for the difference', async () => {
    await failTimes(5);
    clock.step(-600_000);
    expect(await newGate().check('dead')).toEqual({ open: true });
  });

  it('R-5.14 other workers read the open breaker from the table', async () => {
    await failTimes(5);
    expect(await newGate().check('dead')).toMatchObject({ open: false, reason: 'ClusterUnreachable' });
  });

  it('R-5.14 the gate puts passes off for the time that a throttling server asked for', async () => {
    await gate.failed('busy', new ApiError('TooManyRequests', '429', { status: 429, retryAfterMs: 7_000 }));
    expect(await gate.check('busy')).toEqual({ open: false, reason: 'ClusterThrottled', untilMs: clock.now() + 7_000 });
    await clock.advance(7_000);
    expect(await gate.check('busy')).toEqual({ open: true });
  });

  it('an answer of the server does not count as a connection failure, also when it is a refusal', async () => {
    await failTimes(4);
    await gate.failed('dead', new ApiError('Forbidden', '403', { status: 403 }));
    await failTimes(4);
    expect(await gate.check('dead')).toEqual({ open: true });
  });

  it('R-6.7 the gate sees a pause within a bounded time', async () => {
    expect(await gate.check('paused')).toEqual({ open: true });
    await store.setPaused('paused', true);
    await clock.advance(10_000);
    expect(await gate.check('paused')).toMatchObject({ open: false, reason: 'ClusterPaused' });
  });

  it('R-6.7 a pause lets no pass start when several ask at once before the first read', async () => {
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

  it('R-6.7 no pass starts, now or later, when the table does not answer', async () => {
    await store.setPaused('paused', true);
    const answers = store.readCluster.bind(store);
    store.readCluster = () => Promise.reject(new InfrastructureError('no answer'));
    await expect(gate.check('paused')).rejects.toThrow(InfrastructureError);
    await expect(gate.check('paused')).rejects.toThrow(InfrastructureError);
    store.readCluster = answers;
    expect(await gate.check('paused')).toMatchObject({ open: false, reason: 'ClusterPaused' });
  });
});
