import { TEST_CLUSTER } from '../world.ts';
import type { Checkers } from './checkers.ts';
import { type CallVerdict, type ObservedCall, SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';
import type { User } from './user.ts';

/**
 * A run that a script describes, for histories that too few seeds draw: the script says who does what at which call.
 */
export interface Script {
  /** Whether the script sets clocks wrong. If so, times are not checked. */
  readonly clocksAreWrong?: boolean;
  /** Plays the script up to the point after which everything must converge. */
  readonly play: (run: ScenarioRun) => Promise<void>;
}

export type CallMatch = (call: ObservedCall) => boolean;

/** Calls that wait just before they take effect. */
export interface HeldCalls {
  /** Resolves when the first of them arrives. */
  readonly reached: Promise<void>;
  /** Lets the calls continue; later ones are not held. */
  release(): void;
}

interface Cue {
  readonly matches: CallMatch;
  verdict(): CallVerdict;
}

/** The longest time that a script waits for anything. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 50;

/** What a script controls: the same processes and the same scheduler as in a run that a seed draws. */
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

  /** The verdict for a call; undefined when the script has none. */
  call(call: ObservedCall): CallVerdict | undefined {
    for (const cue of this.#cues) if (cue.matches(call)) return cue.verdict();
    return undefined;
  }

  sleep(ms: number): Promise<void> {
    return this.simulation.scheduler.sleep(this.#director, ms);
  }

  /** @throws Error when the condition does not hold in time. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const { scheduler } = this.simulation;
    const giveUpAtMs = scheduler.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (scheduler.now() > giveUpAtMs) throw new Error(`the script waits in vain for: ${what}`);
      await this.sleep(LOOK_EVERY_MS);
    }
  }

  /** Waits until all has converged and no pass runs. */
  rest(): Promise<void> {
    return this.until('rest', () => this.#checkers.unrest().length === 0);
  }

  /** No fault of this script happens after this call: timers are on time, and soon no pass waits for the cluster. */
  beginSteadyState(): void {
    this.#checkers.deadlines.beginSteadyState();
    this.#checkers.isolation.beginSteadyState();
  }

  /** Makes the next matching call wait until it is released. */
  holdOne(matches: CallMatch): HeldCalls {
    const released = Promise.withResolvers<void>();
    const reached = this.next(matches, { type: 'interrupt', by: () => released.promise });
    return { reached, release: released.resolve };
  }

  /** Makes matching calls wait until they are released. */
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

  /** Sets the verdict for the next matching call. Resolves when that call is made. */
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

  /** Sets the verdict for every matching call. @returns a function that ends this. */
  each(matches: CallMatch, verdict: CallVerdict): () => void {
    const cue = { matches, verdict: () => verdict };
    this.#cues.add(cue);
    return () => this.#cues.delete(cue);
  }

  /** How often the relay's counter in the cluster has been raised. */
  get restoreCounter(): number {
    return this.simulation.restoreCounter;
  }

  /** Restores a backup, and waits until the relay has raised the epoch of the cluster. */
  async restore(backup: Parameters<Simulation['restore']>[0]): Promise<void> {
    const { incarnation } = await this.simulation.store.readCluster(TEST_CLUSTER);
    this.simulation.restore(backup);
    await this.until('a new incarnation', async () => {
      const now = await this.simulation.store.readCluster(TEST_CLUSTER);
      return now.incarnation > incarnation;
    });
  }
}
