import { isRequest, type QueueMessage, type SkinnyEvent } from '../../core/event.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { SeededEntropy } from '../seeded-entropy.ts';
import { describeCall } from './describe-call.ts';
import { describeError } from './describe-end.ts';
import type { Scheduled, Scheduler } from './scheduler.ts';

/** The handling of one message. It identifies the calls that a process makes for this message. */
export interface MessageScope {
  readonly process: SimulatedProcess;
  readonly event: QueueMessage;
}

/** The handling of a message about a target. Only such a message has a pass. */
export interface EventScope extends MessageScope {
  readonly event: SkinnyEvent;
}

export function isEventScope(scope: MessageScope | undefined): scope is EventScope {
  return scope !== undefined && !isRequest(scope.event);
}

/** One call of a process to a shared part. */
export interface ObservedCall {
  readonly process: SimulatedProcess;
  /** The message for which the call is made, if any. */
  readonly scope: MessageScope | undefined;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** True time at which the process made it. */
  readonly issuedAtMs: number;
}

export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** Sees every call as it takes effect. */
export interface CallObserver {
  /** Called just before the call takes effect; nothing else happens in between. */
  before(call: ObservedCall): void;
  /** Called when the call took effect or was refused, even if its answer never arrives. */
  after(call: ObservedCall, outcome: CallOutcome): void;
  /** The caller gets an error instead of the result. */
  unanswered(call: ObservedCall, error: unknown): void;
}

/** The result of one call. It is decided when the call has its turn. */
export type CallVerdict =
  | { readonly type: 'answer' }
  /** Fails without effect. */
  | { readonly type: 'fail'; readonly error: Error }
  /** Takes effect; the answer is lost and this error arrives instead. */
  | { readonly type: 'lose'; readonly error: Error }
  /** Takes effect twice, as with a client that retries by itself. The caller gets the second answer. */
  | { readonly type: 'repeat' }
  /** Takes effect; the answer arrives `ms` later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Something else happens just before it takes effect. */
  | { readonly type: 'interrupt'; readonly by: () => Promise<unknown> }
  /** The process is frozen before it takes effect, or before its answer arrives. */
  | { readonly type: 'pause-before' | 'pause-after'; readonly ms: number }
  /** The process dies before it takes effect, or before its answer arrives. */
  | { readonly type: 'crash-before' | 'crash-after' };

/** Decides the result of each call. */
export type FaultPlan = (call: ObservedCall) => CallVerdict;

/**
 * Each call makes its own promise: everything that waits for a shared promise is kept in memory as long as that
 * promise.
 */
const never = () => new Promise<never>(() => {});

/**
 * One process of the system under test. It has its own clock with a skew, calls ports through the scheduler, and can
 * crash at any of its awaits.
 */
export class SimulatedProcess implements Scheduled {
  readonly name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  pausedUntilMs = 0;
  /** Milliseconds that its wall clock is ahead of true time. Set it to another value at any time to step the clock. */
  skewMs: number;
  /** Called when the process dies. */
  onCrash: () => void = () => {};
  #living = true;
  readonly #scheduler: Scheduler;
  readonly #faults: FaultPlan;
  readonly #observer: CallObserver | undefined;

  constructor(
    scheduler: Scheduler,
    name: string,
    {
      skewMs = 0,
      faults = () => ANSWER,
      observer,
    }: { skewMs?: number; faults?: FaultPlan; observer?: CallObserver } = {},
  ) {
    this.#scheduler = scheduler;
    this.name = name;
    this.skewMs = skewMs;
    this.#faults = faults;
    this.#observer = observer;
    this.entropy = new SeededEntropy(scheduler.pick(2 ** 31), name);
    this.clock = {
      now: () => scheduler.now() + this.skewMs,
      // Far from any epoch time, so that a mistake shows at once. A step of the clock (a change of skewMs) does not
      // change it.
      monotonic: () => scheduler.now() - MONOTONIC_FROM_MS,
      sleep: (ms, signal) => scheduler.sleep(this, ms, signal),
    };
  }

  get alive(): boolean {
    return this.#living;
  }

  /** Ends the process at its present await; it never continues. */
  crash(): void {
    if (!this.#living) return;
    this.#living = false;
    this.#scheduler.trace.add(this.#scheduler.now(), this.name, 'CRASHES');
    this.onCrash();
  }

  /** Freezes the process for `ms` milliseconds. */
  pause(ms: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.#scheduler.now() + ms);
    this.#scheduler.trace.add(this.#scheduler.now(), this.name, `IS PAUSED for ${ms} ms`);
  }

  /**
   * Wraps a port for this process: every call waits for a turn before it takes effect and before it returns. Faults
   * happen in between.
   */
  reach<Port extends object>(port: Port, name: string, scope?: MessageScope): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function' || typeof property !== 'string') return value;
        return (...args: unknown[]) => this.call(name, property, args, () => value.apply(target, args), scope);
      },
    });
  }

  /** Returns the verdict of the plan for a call that has its turn. */
  decide(call: ObservedCall): CallVerdict {
    return this.#living ? this.#faults(call) : ANSWER;
  }

  /** One call that takes effect between two turns. */
  async call(
    port: string,
    method: string,
    args: readonly unknown[],
    run: () => unknown,
    scope?: MessageScope,
  ): Promise<unknown> {
    const scheduler = this.#scheduler;
    const call: ObservedCall = { process: this, scope, port, method, args, issuedAtMs: scheduler.now() };
    const signal = signalOf(args);
    await scheduler.turn(this, () => describeCall(call), signal);
    let verdict = method === 'receive' ? ANSWER : this.decide(call);
    if (verdict.type === 'fail') {
      const { error } = verdict;
      scheduler.trace.add(scheduler.now(), this.name, () => `  ${port}.${method} FAILS: ${error.message}`);
      this.#observer?.unanswered(call, error);
      throw error;
    }
    if (verdict.type === 'crash-before') return await this.#die();
    if (verdict.type === 'pause-before') {
      this.pause(verdict.ms);
      await scheduler.turn(this, () => describeCall(call), signal);
    }
    if (verdict.type === 'interrupt') await verdict.by();
    const outcome = await this.#perform(call, run, verdict.type === 'repeat' ? 2 : 1);
    // A receive may have waited for a long time, so its fault is decided when a message has arrived.
    if (method === 'receive') verdict = inHindsight(this.decide(call));
    if (verdict.type === 'crash-after') return await this.#die();
    if (verdict.type === 'pause-after') this.pause(verdict.ms);
    try {
      if (verdict.type === 'delay') await scheduler.sleep(this, verdict.ms, signal);
      const answered = () =>
        `  ${port}.${method} is answered${outcome.ok ? '' : ` with an error: ${describeError(outcome.error)}`}`;
      await scheduler.turn(this, answered, signal);
    } catch (error) {
      this.#observer?.unanswered(call, error);
      throw error;
    }
    if (verdict.type === 'lose') {
      scheduler.trace.add(scheduler.now(), this.name, () => `  ${port}.${method} LOSES ITS ANSWER`);
      this.#observer?.unanswered(call, verdict.error);
      throw verdict.error;
    }
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  async #perform(call: ObservedCall, run: () => unknown, times: number): Promise<CallOutcome> {
    let outcome: CallOutcome = { ok: true, value: undefined };
    for (let time = 0; time < times; time += 1) {
      this.#observer?.before(call);
      try {
        outcome = { ok: true, value: await run() };
      } catch (error) {
        outcome = { ok: false, error };
      }
      this.#observer?.after(call, outcome);
    }
    return outcome;
  }

  #die(): Promise<never> {
    this.crash();
    return never();
  }
}

/** The time from which the monotonic clocks of all processes count. */
const MONOTONIC_FROM_MS = Date.UTC(2025, 11, 31);

const ANSWER: CallVerdict = { type: 'answer' };

/** The verdicts that are still possible after a call has taken effect. */
function inHindsight(verdict: CallVerdict): CallVerdict {
  switch (verdict.type) {
    case 'fail':
      return { type: 'lose', error: verdict.error };
    case 'crash-before':
      return { type: 'crash-after' };
    case 'pause-before':
      return { type: 'pause-after', ms: verdict.ms };
    default:
      return verdict;
  }
}

/** The signal among a call's arguments: an argument itself, or a field of its options. */
function signalOf(args: readonly unknown[]): AbortSignal | undefined {
  for (const argument of args) {
    if (argument instanceof AbortSignal) return argument;
    if (typeof argument !== 'object' || argument === null || !('signal' in argument)) continue;
    if (argument.signal instanceof AbortSignal) return argument.signal;
  }
  return undefined;
}
