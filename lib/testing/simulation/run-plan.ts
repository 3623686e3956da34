import { TEST_CLUSTER } from '../world.ts';
import type { Acts } from './acts.ts';
import { type AgendaItem, agendaOf, carryOut } from './agenda.ts';
import type { Checkers } from './checkers.ts';
import { clearLeftovers, LEFTOVERS_BOUND_MS } from './clear-leftovers.ts';
import type { Disturbances } from './faults/disturbances.ts';
import type { DrawnFaults } from './faults/drawn-faults.ts';
import { addCounts, type Figures } from './figures.ts';
import type { Violation } from './invariants/violation.ts';
import type { Launcher } from './launcher.ts';
import type { SimulationPlan } from './plan.ts';
import { createRunParts, type RunOptions, type RunParts, startRun } from './run-parts.ts';
import type { ScenarioRun } from './scenario-run.ts';
import type { Simulation } from './simulation.ts';
import { SteadyState } from './steady-state.ts';
import type { WorkloadError } from './telling-errors.ts';
import type { TraceLine } from './trace.ts';
import type { UserWrites } from './user.ts';
import type { Fault, Workload } from './workload.ts';

export type { RunOptions };

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly figures: Figures;
  readonly userWrites: Readonly<UserWrites>;
  /** Empty when it was not to be kept. */
  readonly trace: readonly TraceLine[];
  readonly digest: string;
}

/**
 * After the last fault, everything must converge within this simulated time. The longest chain is: a relay dies and its
 * lease expires (1.5 min); its first stream is refused and retries at the interval of a forbidden kind (2 min); a
 * message waits for its visibility time-out (1 min); its pass waits for the longest backoff (5 min), which only the
 * sweep finds (1 min).
 */
const CONVERGENCE_BOUND_MS = 15 * 60_000;
/** The visibility time-out, and the longest receive of a process that died. */
const AFTERMATH_MS = 75_000;
/** A process that was frozen during a pass ends the pass within this time. */
const THAW_MS = 30_000;
const DEFAULT_MAX_STEPS = 60_000;
/**
 * By this time, a message of a dead worker is visible again, the sweep has run, and a lease by a right clock has
 * expired.
 */
const CLOCKS_RIGHT_MS = 5 * 60_000;

/**
 * Runs one plan until everything is at rest, or until the first invariant does not hold.
 * @throws WorkloadError when the code of a workload throws.
 */
export async function runPlan(
  plan: SimulationPlan,
  workloads: readonly Workload[],
  options: RunOptions = {},
): Promise<RunResult> {
  return await new Run(plan, workloads, options).toEnd();
}

class Run {
  readonly #parts: RunParts;
  readonly #plan: SimulationPlan;
  readonly #workloads: readonly Workload[];
  readonly #options: RunOptions;
  readonly #simulation: Simulation;
  readonly #faults: DrawnFaults;
  readonly #disturbances: Disturbances;
  readonly #checkers: Checkers;
  readonly #acts: Acts;
  readonly #scenarioRun: ScenarioRun;
  readonly #launcher: Launcher;
  readonly #startedAtMs: number;
  #convergedAfterMs = 0;
  #broken: WorkloadError | undefined;

  constructor(plan: SimulationPlan, workloads: readonly Workload[], options: RunOptions) {
    const parts = createRunParts(plan, workloads, options, (error) => this.#breakOff(error));
    this.#parts = parts;
    this.#plan = plan;
    this.#workloads = parts.workloads;
    this.#options = options;
    this.#simulation = parts.simulation;
    this.#acts = parts.acts;
    this.#faults = parts.faults;
    this.#disturbances = parts.disturbances;
    this.#checkers = parts.checkers;
    this.#launcher = parts.launcher;
    this.#scenarioRun = parts.scenarioRun;
    this.#startedAtMs = parts.simulation.scheduler.now();
  }

  async toEnd(): Promise<RunResult> {
    const phases = [this.#start, this.#fail, this.#converge, this.#clearLeftovers, this.#keepSilent, this.#carryOn];
    for (const phase of phases) {
      try {
        await phase.call(this);
      } catch (error) {
        throw this.#broken ?? error;
      }
      if (this.#found) break;
    }
    if (this.#broken !== undefined) throw this.#broken;
    return this.#result();
  }

  #start(): Promise<void> {
    return startRun(this.#parts, this.#plan);
  }

  /** Users act while faults happen. In each lull no faults happen, and everything must converge. */
  async #fail(): Promise<void> {
    const agenda = this.#agenda();
    const times = [...this.#plan.lullsAtMs, Number.POSITIVE_INFINITY];
    let delayMs = 0;
    for (const [index, untilMs] of times.entries()) {
      const fromMs = times[index - 1] ?? 0;
      await this.#carryOut(
        agenda.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs),
        delayMs,
      );
      if (this.#found || untilMs === Number.POSITIVE_INFINITY) return;
      const startedMs = this.#simulation.scheduler.now();
      await this.#calm();
      if (this.#found) return;
      delayMs += this.#simulation.scheduler.now() - startedMs;
      this.#faults.resume();
    }
  }

  #agenda(): AgendaItem[] {
    const { script } = this.#options;
    const told = script === undefined ? [] : [{ atMs: 0, run: () => script.play(this.#scenarioRun) }];
    return agendaOf(this.#plan, this.#acts, this.#disturbances, told);
  }

  /** @param delayMs how much later than planned all items happen. */
  async #carryOut(agenda: readonly AgendaItem[], delayMs: number): Promise<void> {
    const { scheduler } = this.#simulation;
    const { maxSteps = DEFAULT_MAX_STEPS, script } = this.#options;
    const isOver = () => this.#found || scheduler.steps >= maxSteps;
    const left = await carryOut(agenda, this.#simulation, { fromMs: this.#startedAtMs + delayMs, isOver });
    if (script !== undefined && left > 0 && !this.#found) throw new Error('the script did not come to its end');
  }

  /** Stops all faults for now, and waits until everything is at rest. */
  async #calm(): Promise<void> {
    const simulation = this.#simulation;
    const { scheduler } = simulation;
    this.#faults.stop();
    this.#disturbances.stop();
    scheduler.trace.add(scheduler.now(), 'fate', 'FROM HERE ON NOTHING FAILS');
    await this.#acts.forgeries.undo(this.#acts.userOf(this.#plan.seed));
    await this.#acts.withdrawals.giveAllBack(this.#acts.userOf(this.#plan.seed));
    await simulation.reinstall();
    for (const { settle } of this.#workloads) await settle?.(this.#acts.userOf(this.#plan.seed));
    const calmAtMs = scheduler.now();
    if (this.#clocksStep) {
      await this.#rest(calmAtMs + CLOCKS_RIGHT_MS);
      if (scheduler.now() >= calmAtMs + CLOCKS_RIGHT_MS) await this.#checkClocks();
    }
    for (const fault of await this.#rest(calmAtMs + CONVERGENCE_BOUND_MS)) this.#checkers.report(fault);
    this.#convergedAfterMs = Math.max(this.#convergedAfterMs, scheduler.now() - calmAtMs);
  }

  async #converge(): Promise<void> {
    const simulation = this.#simulation;
    const checkers = this.#checkers;
    const calmAtMs = simulation.scheduler.now();
    await this.#calm();
    // The messages that a dead process had received become visible only now.
    if (this.#launcher.crashes > 0) await simulation.runUntil(() => this.#found, calmAtMs + AFTERMATH_MS);
    const thawedAtMs = Math.max(...[...simulation.processes.values()].map(({ process }) => process.pausedUntilMs));
    if (thawedAtMs > simulation.scheduler.now()) await simulation.runUntil(() => this.#found, thawedAtMs + THAW_MS);
    if (!this.#found) checkers.deadlines.checkOverdue(simulation.scheduler.now() - LEFTOVERS_BOUND_MS);
    checkers.deadlines.beginSteadyState();
    checkers.isolation.beginSteadyState();
  }

  async #carryOn(): Promise<void> {
    await new SteadyState({
      simulation: this.#simulation,
      checkers: this.#checkers,
      acts: this.#acts,
      plan: this.#plan,
      workloads: this.#workloads,
      rest: (byMs, unrestOf) => this.#rest(byMs, undefined, unrestOf),
    }).carryOn();
  }

  async #clearLeftovers(): Promise<void> {
    await clearLeftovers({
      simulation: this.#simulation,
      checkers: this.#checkers,
      plan: this.#plan,
      user: this.#acts.userOf(this.#plan.seed + 1),
      rest: (byMs, also) => this.#rest(byMs, also),
    });
  }

  async #keepSilent(): Promise<void> {
    const simulation = this.#simulation;
    const checkers = this.#checkers;
    checkers.silence.begin();
    const sinceMs = simulation.scheduler.now();
    const untilMs = simulation.scheduler.now() + (this.#options.silenceMs ?? this.#plan.silenceMs);
    await simulation.runUntil(() => this.#found, untilMs);
    checkers.silence.end();
    if (this.#clocksStep) await this.#checkClocks();
    if (this.#found) return;
    checkers.deadlines.checkOverdue(Number.NEGATIVE_INFINITY);
    for (const fault of await this.#rest(simulation.scheduler.now() + LEFTOVERS_BOUND_MS)) checkers.report(fault);
    // No pass runs any more that could still serve an overdue timer.
    if (!this.#found) checkers.deadlines.checkOverdue(Number.NEGATIVE_INFINITY);
    if (this.#found) return;
    for (const fault of checkers.stuck(sinceMs)) checkers.report(fault);
    const { targetResyncMs } = simulation.passOptions;
    if (targetResyncMs === undefined || this.#found) return;
    for (const fault of checkers.unresynced(targetResyncMs)) checkers.report(fault);
  }

  get #clocksStep(): boolean {
    return this.#plan.disturbances.some(({ kind }) => kind === 'step');
  }

  /** Checks the values that wrong clocks left in the table, some minutes after the clocks are right again. */
  async #checkClocks(): Promise<void> {
    const { store, relayOptions } = this.#simulation;
    const cluster = await store.readCluster(TEST_CLUSTER);
    this.#checkers.clockDelays.check({ ...store.contents(), cluster }, relayOptions.leaseMs ?? 0);
  }

  /** Runs until all has converged. @returns what has not converged in time. */
  async #rest(
    byMs: number,
    also: () => boolean = () => true,
    unrestOf: () => Fault[] = () => this.#checkers.unrest(),
  ): Promise<Fault[]> {
    const simulation = this.#simulation;
    for (;;) {
      const nowMs = simulation.scheduler.now();
      const unrest = unrestOf();
      if (this.#found || nowMs >= byMs || (unrest.length === 0 && also())) return this.#found ? [] : unrest;
      await simulation.runUntil(() => this.#found, Math.min(byMs, nowMs + 1_000));
    }
  }

  /** When there are several errors, the first one is the cause. */
  #breakOff(error: WorkloadError): void {
    this.#broken ??= error;
  }

  get #found(): boolean {
    return this.#checkers.violations.length > 0 || this.#broken !== undefined;
  }

  #result(): RunResult {
    const { scheduler } = this.#simulation;
    return {
      violations: this.#checkers.violations,
      figures: {
        steps: scheduler.steps,
        simulatedMs: scheduler.now() - this.#startedAtMs,
        passes: this.#checkers.ledger.passCount,
        crashes: this.#launcher.crashes,
        faults: this.#faults.happened,
        duplicates: this.#checkers.messages.duplicates,
        restores: this.#simulation.restores,
        convergedAfterMs: this.#convergedAfterMs,
        worstLatenessMs: this.#checkers.deadlines.worstLatenessMs,
        drawn: addCounts([
          { 'marks copied': this.#acts.forgeries.marksCopied },
          ...this.#workloads.map(({ drawn }) => drawn?.() ?? {}),
        ]),
      },
      userWrites: this.#simulation.userWrites,
      trace: scheduler.trace.lines,
      digest: scheduler.trace.digest(),
    };
  }
}
