import { describe, expect, it } from 'vitest';
import { CallDeadline } from '../../../lib/adapters/http/call-deadline.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

describe('the deadline of a call', () => {
  it('the deadline ends a call when its time limit is over', async () => {
    const clock = new ManualClock();
    const deadline = new CallDeadline(clock, 10_000, undefined);
    await clock.advance(9_999);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect([deadline.signal.aborted, deadline.expired]).toEqual([true, true]);
  });

  it('R-5.14 the deadline stops while the call waits for this process, and continues with the rest of the time', async () => {
    const clock = new ManualClock();
    const deadline = new CallDeadline(clock, 10_000, undefined);
    await clock.advance(4_000);
    const place = Promise.withResolvers<string>();
    const waiting = deadline.withoutTime(place.promise);
    await clock.advance(60_000);
    expect(deadline.signal.aborted).toBe(false);
    place.resolve('place');
    expect(await waiting).toBe('place');
    await clock.advance(5_999);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.expired).toBe(true);
  });

  it('the caller can end the call while it waits', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const deadline = new CallDeadline(clock, 10_000, caller.signal);
    void deadline.withoutTime(new Promise(() => {}));
    caller.abort(new Error('the pass is over'));
    expect(deadline.signal.reason).toEqual(new Error('the pass is over'));
    expect(deadline.expired).toBe(false);
  });
});
