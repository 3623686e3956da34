import { SeededEntropy } from '../seeded-entropy.ts';
import { drawLaterFaults } from './draw-later-faults.ts';
import { drawLimits, type Limits, NO_LIMITS } from './draw-limits.ts';
import { drawSettings, type PartSettings, SHIPPED_SETTINGS } from './draw-settings.ts';
import type { FaultRates } from './faults/drawn-faults.ts';
import { FAULT_CHANCES, FAULT_KINDS, type FaultKind } from './faults/fault-kinds.ts';
import type { PlannedDisturbance } from './faults/planned-disturbance.ts';
import type { Workload } from './workload.ts';

/** Something that a user does. */
export interface PlannedAction {
  /** Milliseconds after the start. */
  readonly atMs: number;
  /** The name of the action, and the index of its workload among those of the run. */
  readonly action: string;
  readonly workload: number;
  /** The seed of its choices. */
  readonly seed: number;
}

/** Everything that is decided before a run starts. The seed decides the rest. */
export interface SimulationPlan extends Limits {
  readonly seed: number;
  readonly actions: readonly PlannedAction[];
  readonly disturbances: readonly PlannedDisturbance[];
  /** The probability of each fault at one call. */
  readonly rates: FaultRates;
  /** Numbers of faults at calls that do not happen. */
  readonly skippedFaults: readonly number[];
  readonly workers: number;
  readonly relays: number;
  readonly sweeps: number;
  readonly settings: PartSettings;
  /** Whether resync runs. It may hide a lost event. */
  readonly resync: boolean;
  /** Whether the rate limit allows a target only a few passes in a short time. */
  readonly tightRateLimit: boolean;
  /**
   * The times of lulls, in which no faults happen and everything must come to rest. Each lull delays all later items by
   * its length.
   */
  readonly lullsAtMs: readonly number[];
  /** How long nothing may be written after all has converged. */
  readonly silenceMs: number;
}

export interface PlanOptions {
  /** The names of each workload's actions. */
  readonly actions: readonly (readonly string[])[];
  /** The namespaces of all objects of the workloads; undefined when one of the workloads does not name them. */
  readonly namespaces?: readonly string[] | undefined;
  /** Faults that never happen. */
  readonly without?: readonly FaultKind[];
}

/** Faults at calls, and the highest rate that is drawn for each. */
const CALL_RATES: FaultRates = {
  crash: 0.02,
  pause: 0.02,
  fail: 0.08,
  lose: 0.08,
  repeat: 0.1,
  delay: 0.08,
  throttle: 0.04,
  conflict: 0.08,
  partial: 0.3,
  duplicate: 0.5,
  reroute: 0.5,
  meddle: 0.4,
  gap: 0.2,
  silence: 0.03,
  replay: 0.2,
};
/** Faults at times, and the largest number of each. */
const DISTURBANCES: Partial<Readonly<Record<FaultKind, number>>> = {
  crash: 4,
  pause: 3,
  gap: 4,
  forbid: 2,
  missing: 2,
  outage: 2,
  halt: 1,
  restore: 1,
  jump: 4,
  'wrong-clock': 2,
  lag: 2,
  garbage: 2,
};
/** The share of seeds that run resync. */
const RESYNC_CHANCE = 0.1;
const TIGHT_RATE_LIMIT_CHANCE = 0.15;
const LONG_SILENCE_CHANCE = 0.1;
const SILENCE_MS = 5 * 60_000;
/** A resync timer is due after at most this many of its intervals, because timers are spread by a quarter. */
export const LATEST_RESYNC = 1.25;
/** Longer than the longest delay of a message, so that timers beyond that delay are due in it. */
const LONG_SILENCE_MS = 22 * 60_000;

/** A run in which nothing is drawn. */
export function quietPlan(seed: number, changed: Partial<SimulationPlan> = {}): SimulationPlan {
  return {
    seed,
    actions: [],
    disturbances: [],
    rates: {},
    skippedFaults: [],
    workers: 2,
    relays: 1,
    sweeps: 1,
    settings: SHIPPED_SETTINGS,
    resync: false,
    tightRateLimit: false,
    lullsAtMs: [],
    silenceMs: SILENCE_MS,
    ...NO_LIMITS,
    ...changed,
  };
}

/** What a plan must know of its workloads. */
export function planOptionsOf(workloads: readonly Workload[]): Pick<PlanOptions, 'actions' | 'namespaces'> {
  const namespaces = workloads.map((workload) => workload.namespaces);
  const all = namespaces.flatMap((names) => names ?? []);
  return {
    actions: workloads.map(({ actions }) => Object.keys(actions)),
    namespaces: namespaces.includes(undefined) ? undefined : [...new Set(all)].sort(),
  };
}

export function drawPlan(seed: number, { actions, namespaces, without = [] }: PlanOptions): SimulationPlan {
  const entropy = new SeededEntropy(seed);
  const pick = (below: number) => Math.floor(entropy.random() * below);
  const drawn = FAULT_KINDS.filter((kind) => entropy.random() < FAULT_CHANCES[kind]);
  const kinds = drawn.filter((kind) => !without.includes(kind));
  const planned = drawActions(actions, 10 + pick(30), entropy);
  const endMs = (planned.at(-1)?.atMs ?? 0) + 1_000;
  const rates: Partial<Record<FaultKind, number>> = {};
  for (const kind of kinds) {
    const highest = CALL_RATES[kind];
    // Mostly low, because rare faults then happen in a system that has converged.
    if (highest !== undefined) rates[kind] = highest * entropy.random() ** 1.5;
  }
  const disturbances = kinds.flatMap((kind) =>
    Array.from({ length: pick((DISTURBANCES[kind] ?? 0) + 1) }, () => ({
      // Late enough that something has happened before.
      atMs: kind === 'restore' ? Math.round(endMs * (0.5 + entropy.random() / 2)) : pick(endMs),
      kind,
      ms: 1_000 + pick(90_000),
      seed: pick(2 ** 31),
    })),
  );
  const later = drawLaterFaults(seed, endMs, without);
  const plan = {
    seed,
    actions: planned,
    disturbances: [...disturbances, ...later.disturbances].sort((left, right) => left.atMs - right.atMs),
    rates: { ...rates, ...later.rates },
    skippedFaults: [],
    workers: 1 + pick(3),
    relays: 1 + pick(2),
    sweeps: 1 + pick(2),
    settings: drawSettings(seed),
    resync: entropy.random() < RESYNC_CHANCE,
    tightRateLimit: entropy.random() < TIGHT_RATE_LIMIT_CHANCE,
    lullsAtMs: Array.from({ length: pick(3) }, () => pick(endMs)).sort((left, right) => left - right),
    silenceMs: entropy.random() < LONG_SILENCE_CHANCE ? LONG_SILENCE_MS : SILENCE_MS,
  };
  const limits = drawLimits(seed, { endMs, namespaces });
  // Long enough that the timer of each target is due.
  const silenceMs = Math.max(plan.silenceMs, (limits.targetResyncMs ?? 0) * LATEST_RESYNC + SILENCE_MS);
  return { ...plan, ...limits, silenceMs: limits.targetResyncMs === undefined ? plan.silenceMs : silenceMs };
}

/** Draws actions mostly in bursts, some within the time of a pass, with pauses in which everything comes to rest. */
function drawActions(actions: PlanOptions['actions'], count: number, entropy: SeededEntropy): PlannedAction[] {
  const pick = (below: number) => Math.floor(entropy.random() * below);
  let atMs = 0;
  return Array.from({ length: count }, () => {
    const roll = entropy.random();
    atMs += roll < 0.12 ? pick(60_000) : roll < 0.45 ? pick(400) : pick(4_000);
    const workload = pick(actions.length);
    const names = actions[workload] ?? [];
    return { atMs, workload, action: names[pick(names.length)] ?? '', seed: pick(2 ** 31) };
  });
}
