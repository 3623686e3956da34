import { describe, expect, it } from 'vitest';
import { repeatedly } from '../../../lib/engine/runtime/repeatedly.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { SilentLogger } from '../../../lib/testing/recorders.ts';

describe('repeatedly', () => {
  it('repeatedly waits between the end of one run and the next, and continues after a failed run', async () => {
    const [clock, logger, abort] = [new ManualClock(), new SilentLogger(), new AbortController()];
    const begun = clock.now();
    const ranAtMs: number[] = [];
    const running = repeatedly(
      'sweep',
      async () => {
        ranAtMs.push(clock.now() - begun);
        if (ranAtMs.length === 1) throw new Error('x');
      },
      60_000,
      { clock, logger },
      abort.signal,
    );
    await clock.advance(180_000);
    abort.abort();
    await running;
    expect(ranAtMs).toEqual([60_000, 120_000, 180_000]);
    expect(logger.lines.map(({ message }) => message)).toEqual(['the sweep failed; it runs again at its next time']);
  });
});
