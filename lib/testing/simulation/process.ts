import type { Clock, Entropy } from '../../ports/clock.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import type { Scheduled, Scheduler } from './scheduler.ts';

/** What may happen to one call of a process, decided by the fault plan at the moment the call is made. */
export type CallVerdict =
  | { readonly type: 'answer' }
  /** Fails without effect. */
  | { readonly type: 'fail'; readonly error: Error }
  /** Takes effect; the answer is lost and this error arrives instead. */
  | { readonly type: 'lose'; readonly error: Error }
  /** Takes effect twice, as a client that retries for itself does; the second answer counts. */
  | { readonly type: 'repeat' };

/** Decides what becomes of each call. */
export type FaultPlan = (process: SimulatedProcess, port: string, method: string) => CallVerdict;

/**
 * One process of the system under test: a clock of its own, skewed; ports that it reaches through the scheduler; and a
 * life that a crash ends at any of its awaits.
 */
export class SimulatedProcess implements Scheduled {
  readonly name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  pausedUntilMs = 0;
  /** Milliseconds that its clock is ahead of true time. */
  skewMs: number;
  private living = true;
  private readonly scheduler: Scheduler;
  private readonly faults: FaultPlan;

  constructor(scheduler: Scheduler, name: string, skewMs: number, faults: FaultPlan) {
    this.scheduler = scheduler;
    this.name = name;
    this.skewMs = skewMs;
    this.faults = faults;
    this.entropy = new SeededEntropy(scheduler.pick(2 ** 31), name);
    this.clock = {
      now: () => scheduler.now() + this.skewMs,
      sleep: (ms, signal) => scheduler.sleep(this, ms, signal),
    };
  }

  get alive(): boolean {
    return this.living;
  }

  /** Ends the process at whatever it is doing: nothing of it goes on. */
  crash(): void {
    this.living = false;
    this.scheduler.forget(this);
    this.scheduler.trace.step(this.scheduler.now(), this.name, 'CRASHES');
  }

  /** The port as this process reaches it: every call waits for its turn twice, and meets its faults in between. */
  reach<Port extends object>(port: Port, name: string): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function' || typeof property !== 'string') return value;
        return (...args: unknown[]) => this.call(name, property, args, () => value.apply(target, args));
      },
    });
  }

  /** What the plan says of a call that is about to be made. */
  judge(port: string, method: string): CallVerdict {
    return this.faults(this, port, method);
  }

  /** One call that takes effect between two turns. */
  async call(port: string, method: string, args: readonly unknown[], run: () => unknown): Promise<unknown> {
    const signal = signalOf(args);
    await this.scheduler.turn(this, `${port}.${method}`, signal);
    const verdict = this.judge(port, method);
    if (verdict.type === 'fail') {
      this.scheduler.trace.step(this.scheduler.now(), this.name, `${port}.${method} fails: ${verdict.error.message}`);
      throw verdict.error;
    }
    let outcome = settle(run);
    if (verdict.type === 'repeat') {
      await outcome;
      outcome = settle(run);
    }
    const settled = await outcome;
    await this.scheduler.turn(this, `${port}.${method} answered`, signal);
    if (verdict.type === 'lose') {
      this.scheduler.trace.step(this.scheduler.now(), this.name, `${port}.${method} loses its answer`);
      throw verdict.error;
    }
    if (settled.ok) return settled.value;
    throw settled.error;
  }
}

type Settled = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

async function settle(run: () => unknown): Promise<Settled> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The signal among a call's arguments: given as such, or in its options. */
function signalOf(args: readonly unknown[]): AbortSignal | undefined {
  for (const argument of args) {
    if (argument instanceof AbortSignal) return argument;
    if (
      typeof argument === 'object' &&
      argument !== null &&
      'signal' in argument &&
      argument.signal instanceof AbortSignal
    )
      return argument.signal;
  }
  return undefined;
}
