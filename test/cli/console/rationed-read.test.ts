import { describe, expect, it } from 'vitest';
import { RationedRead } from '../../../cli/console/rationed-read.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const RATION = { leastMs: 30_000, dollarsPerHour: 0.036 };

/** A read that costs as much as a test says, and counts how often it ran. */
function scene(ration = RATION) {
  const clock = new ManualClock();
  const state = { dollars: 0, cost: 0, tookMs: 0, reads: 0, fails: false };
  const read = new RationedRead(
    clock,
    () => state.dollars,
    ration,
    async () => {
      state.reads += 1;
      state.dollars += state.cost;
      clock.jump(state.tookMs);
      if (state.fails) throw new Error('refused');
      return state.reads;
    },
  );
  return { clock, state, read };
}

describe('a rationed read', () => {
  it.each([
    ['its shortest interval is longest', { cost: 0, tookMs: 0 }, 30_000],
    ['it takes long', { cost: 0, tookMs: 4_000 }, 76_000],
    ['it costs much', { cost: 0.001, tookMs: 0 }, 100_000],
  ])('R-6.10 the next read starts after the ration when %s', async (_, takes, waitMs) => {
    const { clock, state, read } = scene();
    Object.assign(state, takes);
    expect((await read.latest()).nextMs - clock.monotonic()).toBe(waitMs);
    clock.jump(waitMs - 1);
    expect((await read.latest()).value).toBe(1);
    clock.jump(1);
    expect((await read.latest()).value).toBe(2);
  });

  it('R-6.10 several callers share one read, also when the last result is too old', async () => {
    const { clock, state, read } = scene();
    await Promise.all([read.latest(), read.latest()]);
    expect(state.reads).toBe(1);
    clock.jump(30_000);
    await Promise.all([read.latest(), read.latest(), read.latest()]);
    expect(state.reads).toBe(2);
  });

  it('R-6.10 a read that fails is repeated no earlier than one that succeeds', async () => {
    const { clock, state, read } = scene();
    Object.assign(state, { fails: true, cost: 0.001 });
    await expect(read.latest()).rejects.toThrow('refused');
    clock.jump(99_999);
    await expect(read.latest()).rejects.toThrow('refused');
    expect(state.reads).toBe(1);
    clock.jump(1);
    state.fails = false;
    expect((await read.latest()).value).toBe(2);
  });

  it('R-6.10 a read after an action is allowed at once', async () => {
    const { state, read } = scene();
    await read.latest();
    read.renew();
    expect((await read.latest()).value).toBe(2);
    expect(state.reads).toBe(2);
  });
});
