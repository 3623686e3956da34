import { describe, expect, it } from 'vitest';
import { type CallObserver, type CallVerdict, SimulatedProcess } from '../../../lib/testing/simulation/process.ts';
import { Scheduler } from '../../../lib/testing/simulation/scheduler.ts';
import { Trace } from '../../../lib/testing/simulation/trace.ts';

/** A port that counts, called by a process whose every call gets this verdict. */
function reachCounter(verdict: CallVerdict) {
  const scheduler = new Scheduler(1, new Trace(true), 0);
  const seen: string[] = [];
  const observer: CallObserver = {
    before: () => seen.push('before'),
    after: (_, outcome) => seen.push(outcome.ok ? `after ${outcome.value}` : 'after an error'),
    unanswered: () => seen.push('unanswered'),
  };
  const process = new SimulatedProcess(scheduler, 'worker', { faults: () => verdict, observer });
  const counter = {
    count: 0,
    async increment() {
      this.count += 1;
      return this.count;
    },
  };
  const reached = process.reach(counter, 'counter');
  const settled: { value?: number; error?: unknown } = {};
  const call = () =>
    reached.increment().then(
      (value) => Object.assign(settled, { value }),
      (error: unknown) => Object.assign(settled, { error }),
    );
  const run = async () => {
    call();
    while (await scheduler.step());
  };
  return { scheduler, process, counter, seen, settled, run };
}

describe('SimulatedProcess', () => {
  it('a call takes effect between two turns', async () => {
    const { counter, settled, seen, run } = reachCounter({ type: 'answer' });
    await run();
    expect(counter.count).toBe(1);
    expect(settled).toEqual({ value: 1 });
    expect(seen).toEqual(['before', 'after 1']);
  });

  it.each([
    ['fail', 0, { error: new Error('no') }, ['unanswered']],
    ['lose', 1, { error: new Error('no') }, ['before', 'after 1', 'unanswered']],
    ['repeat', 2, { value: 2 }, ['before', 'after 1', 'before', 'after 2']],
    ['crash-before', 0, {}, []],
    ['crash-after', 1, {}, ['before', 'after 1']],
  ] as const)('%s: takes effect %i times, and the caller sees %o', async (type, effects, sees, observed) => {
    const { counter, process, settled, seen, run } = reachCounter({ type, error: new Error('no') } as CallVerdict);
    await run();
    expect(counter.count).toBe(effects);
    expect(settled).toEqual(sees);
    expect(seen).toEqual(observed);
    expect(process.alive).toBe(!type.startsWith('crash'));
  });

  it.each(['pause-before', 'pause-after', 'delay'] as const)('%s: the answer comes so much later', async (type) => {
    const { scheduler, settled, run } = reachCounter({ type, ms: 40_000 });
    await run();
    expect(settled).toEqual({ value: 1 });
    expect(scheduler.now()).toBeGreaterThanOrEqual(40_000);
  });

  it('something else may happen just before a call takes effect', async () => {
    const { counter, settled, run } = reachCounter({
      type: 'interrupt',
      by: async () => {
        counter.count = 10;
      },
    });
    await run();
    expect(settled).toEqual({ value: 11 });
  });

  it('each process has its own clock, so much ahead', async () => {
    const scheduler = new Scheduler(1, new Trace(), 1_000);
    const process = new SimulatedProcess(scheduler, 'worker', { skewMs: -300 });
    expect(process.clock.now()).toBe(700);
  });
});
