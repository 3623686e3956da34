import { describe, expect, it } from 'vitest';
import { keepRunning } from '../../../lib/deployment/installation/part.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { SilentLogger } from '../../../lib/testing/recorders.ts';

function tools() {
  return { clock: new ManualClock(), logger: new SilentLogger(), abort: new AbortController() };
}

describe('keepRunning', () => {
  it('a part that fails is started again, ever later, and what it failed with is logged', async () => {
    const { clock, logger, abort } = tools();
    const startedAtMs: number[] = [];
    const begun = clock.now();
    const running = keepRunning(
      'relay',
      async () => {
        startedAtMs.push(clock.now() - begun);
        throw new Error('x');
      },
      { clock, logger },
      abort.signal,
    );
    await clock.advance(20_000);
    expect(startedAtMs).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(logger.lines.map(({ message }) => message)).toContain('the relay failed and is started again');
    abort.abort();
    await running;
  });

  it('a part that ends because it was told to is not started again', async () => {
    const { clock, logger, abort } = tools();
    let starts = 0;
    const running = keepRunning(
      'worker',
      (signal) => {
        starts += 1;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      { clock, logger },
      abort.signal,
    );
    abort.abort();
    await running;
    expect(starts).toBe(1);
    expect(logger.lines).toEqual([]);
  });
});
