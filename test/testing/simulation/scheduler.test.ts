import { beforeEach, describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../../../lib/testing/simulation/process.ts';
import { Scheduler } from '../../../lib/testing/simulation/scheduler.ts';
import { Trace } from '../../../lib/testing/simulation/trace.ts';

let scheduler: Scheduler;
let worker: SimulatedProcess;

async function runToEnd(): Promise<void> {
  while (await scheduler.step());
}

beforeEach(() => {
  scheduler = new Scheduler(1, new Trace(true), 0);
  worker = new SimulatedProcess(scheduler, 'worker');
});

describe('Scheduler', () => {
  it('lets nobody go on before a step says so', async () => {
    let went = false;
    scheduler.turn(worker, 'goes').then(() => {
      went = true;
    });
    await Promise.resolve();
    expect(went).toBe(false);
    await scheduler.step();
    expect(went).toBe(true);
  });

  it('moves time to the next sleeper when nobody else is ready', async () => {
    const woken: [string, number][] = [];
    for (const [name, ms] of [
      ['late', 5_000],
      ['early', 1_000],
    ] as const) {
      scheduler.sleep(worker, ms).then(() => woken.push([name, scheduler.now()]));
    }
    await runToEnd();
    expect(woken.map(([name]) => name)).toEqual(['early', 'late']);
    expect(woken[0]?.[1]).toBeGreaterThanOrEqual(1_000);
    expect(woken[1]?.[1]).toBeGreaterThanOrEqual(5_000);
  });

  it('a paused process goes on after its pause, a dead one never', async () => {
    const dead = new SimulatedProcess(scheduler, 'dead');
    const went: [string, number][] = [];
    for (const process of [worker, dead]) {
      scheduler.turn(process, 'goes').then(() => went.push([process.name, scheduler.now()]));
    }
    worker.pause(3_000);
    dead.crash();
    await runToEnd();
    expect(went).toHaveLength(1);
    expect(went[0]?.[0]).toBe('worker');
    expect(went[0]?.[1]).toBeGreaterThanOrEqual(3_000);
  });

  it("what is aborted while it waits rejects with the signal's reason and takes no step", async () => {
    const abort = new AbortController();
    const waiting = scheduler.turn(worker, 'goes', abort.signal);
    abort.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(await scheduler.step()).toBe(false);
    expect(scheduler.steps).toBe(0);
  });

  it('everything that a step sets going settles before the next one', async () => {
    const order: string[] = [];
    const chain = async (name: string) => {
      await scheduler.turn(worker, name);
      for (let link = 0; link < 50; link += 1) await Promise.resolve();
      order.push(`${name} settled`);
    };
    const both = Promise.all([chain('first'), chain('second')]);
    await scheduler.step();
    expect(order).toHaveLength(1);
    await scheduler.step();
    expect(order).toHaveLength(2);
    await both;
  });

  it('one seed is one history', async () => {
    const history = async (seed: number) => {
      const trace = new Trace(true);
      const own = new Scheduler(seed, trace, 0);
      const processes = ['a', 'b', 'c'].map((name) => new SimulatedProcess(own, name));
      for (const process of processes) for (let turn = 0; turn < 5; turn += 1) own.turn(process, `turn ${turn}`);
      while (await own.step());
      return trace.text();
    };
    expect(await history(7)).toBe(await history(7));
    expect(await history(7)).not.toBe(await history(8));
  });
});
