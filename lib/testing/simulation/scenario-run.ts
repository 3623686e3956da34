import { TEST_CLUSTER } from '../world.ts';
import type { Checkers } from './checkers.ts';
import { type CallVerdict, type ObservedCall, SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';
import type { User } from './user.ts';

/** A history that is told rather than drawn, for what too few seeds draw: who does what at which call. */
export interface Script {
  /** Clocks are set wrong in it: nothing is said about times. */
  readonly clocksAreWrong?: boolean;
  /** From the start until the point from which all must come right. */
  readonly play: (run: ScenarioRun) => Promise<void>;
}

export type CallMatch = (call: ObservedCall) => boolean;

/** Calls that wait, just before they take effect. */
export interface HeldCalls {
  /** The first of them is there. */
  readonly reached: Promise<void>;
  /** Lets them go on; no further one is held. */
  release(): void;
}

interface Cue {
  readonly matches: CallMatch;
  verdict(): CallVerdict;
}

/** Nothing that a script waits for takes longer. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 50;

/** What a script directs: the same processes, under the same scheduler, as when a seed draws what happens. */
export class ScenarioRun {
  readonly simulation: Simulation;
  readonly user: User;
  readonly #checkers: Pick<Checkers, 'unrest' | 'deadlines' | 'isolation'>;
  readonly #cues = new Set<Cue>();
  readonly #director: SimulatedProcess;

  constructor(simulation: Simulation, user: User, checkers: Pick<Checkers, 'unrest' | 'deadlines' | 'isolation'>) {
    this.simulation = simulation;
    this.user = user;
    this.#checkers = checkers;
    this.#director = new SimulatedProcess(simulation.scheduler, 'script');
  }

  /** What becomes of a call; undefined where the script says nothing of it. */
  call(call: ObservedCall): CallVerdict | undefined {
    for (const cue of this.#cues) if (cue.matches(call)) return cue.verdict();
    return undefined;
  }

  sleep(ms: number): Promise<void> {
    return this.simulation.scheduler.sleep(this.#director, ms);
  }

  /** @throws Error when it does not come to that. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const { scheduler } = this.simulation;
    const giveUpAtMs = scheduler.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (scheduler.now() > giveUpAtMs) throw new Error(`the script waits in vain for: ${what}`);
      await this.sleep(LOOK_EVERY_MS);
    }
  }

  /** All has converged, and nobody is at work. */
  rest(): Promise<void> {
    return this.until('rest', () => this.#checkers.unrest().length === 0);
  }

  /** From here on nothing fails in this script: deadlines are on time, and soon no pass waits for the cluster. */
  beginSteadyState(): void {
    this.#checkers.deadlines.beginSteadyState();
    this.#checkers.isolation.beginSteadyState();
  }

  /** Has the next call that matches wait until it is released. */
  holdOne(matches: CallMatch): HeldCalls {
    const released = Promise.withResolvers<void>();
    const reached = this.next(matches, { type: 'interrupt', by: () => released.promise });
    return { reached, release: released.resolve };
  }

  /** Has calls wait until they are released. */
  hold(matches: CallMatch): HeldCalls {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const verdict = (): CallVerdict => {
      reached.resolve();
      return { type: 'interrupt', by: () => released.promise };
    };
    const cue = { matches, verdict };
    this.#cues.add(cue);
    const release = () => {
      this.#cues.delete(cue);
      released.resolve();
    };
    return { reached: reached.promise, release };
  }

  /** Decides about the next call that matches. Resolves when it is made. */
  next(matches: CallMatch, verdict: CallVerdict): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cue: Cue = {
      matches,
      verdict: () => {
        this.#cues.delete(cue);
        resolve();
        return verdict;
      },
    };
    this.#cues.add(cue);
    return promise;
  }

  /** Decides about every call that matches. @returns what ends it. */
  each(matches: CallMatch, verdict: CallVerdict): () => void {
    const cue = { matches, verdict: () => verdict };
    this.#cues.add(cue);
    return () => this.#cues.delete(cue);
  }

  /** How often the relay's counter in the cluster had been raised. */
  get restoreCounter(): number {
    return this.simulation.restoreCounter;
  }

  /** Goes back to a backup, and waits until the relay has begun a new incarnation. */
  async restore(backup: Parameters<Simulation['restore']>[0]): Promise<void> {
    const { incarnation } = await this.simulation.store.readCluster(TEST_CLUSTER);
    this.simulation.restore(backup);
    await this.until('a new incarnation', async () => {
      const now = await this.simulation.store.readCluster(TEST_CLUSTER);
      return now.incarnation > incarnation;
    });
  }
}
