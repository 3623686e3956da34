import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';
import { PatientClock } from './patient-clock.ts';

function begin() {
  const base = new ManualClock(1_000);
  const clock = new PatientClock({ speed: 20, base });
  return { base, clock, passed: () => clock.now() - 1_000 };
}

describe('PatientClock', () => {
  it('passes faster than the clock it follows', async () => {
    const { base, clock, passed } = begin();
    await base.advance(500);
    expect(passed()).toBe(10_000);
    clock[Symbol.dispose]();
    await base.advance(500);
    expect(passed()).toBe(10_000);
  });

  it('does not pass while the process has no turn', async () => {
    const { base, passed } = begin();
    base.jump(30_000);
    await base.advance(0);
    expect(passed()).toBe(1_000);
  });

  it('stands still while it is held, by whomever, and does not catch up afterwards', async () => {
    const { base, clock, passed } = begin();
    const [one, other] = [clock.hold(), clock.hold()];
    await base.advance(100);
    one();
    await base.advance(100);
    expect(passed()).toBe(0);
    other();
    await base.advance(100);
    expect(passed()).toBe(2_000);
  });

  it('passes up to a limit and waits there', async () => {
    const { base, clock, passed } = begin();
    const release = clock.holdAt(clock.now() + 550);
    await base.advance(100);
    expect(passed()).toBe(550);
    release();
    await base.advance(100);
    expect(passed()).toBe(2_550);
  });

  it('wakes sleepers in the order of their times and forgets those that were called off', async () => {
    const { base, clock } = begin();
    const woken: string[] = [];
    const nap = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push(name);
    };
    void nap('late', 90);
    void nap('early', 60);
    void nap('later', 2_000);
    const off = new AbortController();
    const calledOff = clock.sleep(50, off.signal);
    off.abort(new Error('stop'));
    await expect(calledOff).rejects.toThrow('stop');
    await base.advance(5);
    expect(woken).toEqual(['early', 'late']);
    await base.advance(100);
    expect(woken).toEqual(['early', 'late', 'later']);
  });
});
