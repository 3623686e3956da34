import type { Acts } from './acts.ts';
import type { Disturbances } from './faults/disturbances.ts';
import type { SimulationPlan } from './plan.ts';
import { SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';

/** Something that happens at a time after the start. */
export interface AgendaItem {
  readonly atMs: number;
  readonly run: () => Promise<unknown>;
}

const BACKUP_EVERY_MS = 12_000;

/** The actions of users and the disturbances of a plan, in order. */
export function agendaOf(
  plan: SimulationPlan,
  acts: Acts,
  disturbances: Disturbances,
  script: AgendaItem[],
): AgendaItem[] {
  return [
    ...script,
    ...plan.actions.map((action) => ({ atMs: action.atMs, run: () => acts.act(action) })),
    ...plan.withdrawals.map((withdrawal) => ({ atMs: withdrawal.atMs, run: () => acts.withdraw(withdrawal) })),
    ...plan.disturbances.map((disturbance) => ({
      atMs: disturbance.atMs,
      run: async () => disturbances.strike(disturbance),
    })),
    ...backupTimes(plan).map((atMs) => ({ atMs, run: async () => disturbances.backUp() })),
  ].sort((left, right) => left.atMs - right.atMs);
}

function backupTimes({ disturbances }: SimulationPlan): number[] {
  if (!disturbances.some(({ kind }) => kind === 'restore')) return [];
  const lastMs = disturbances.at(-1)?.atMs ?? 0;
  return Array.from({ length: Math.ceil(lastMs / BACKUP_EVERY_MS) }, (_, index) => (index + 1) * BACKUP_EVERY_MS);
}

export interface CarryOutOptions {
  /** True time of the start. */
  readonly fromMs: number;
  /** Whether to skip the remaining items. */
  readonly isOver: () => boolean;
}

/** Does each item at its time, while the processes run. @returns the number of items that are left. */
export async function carryOut(
  agenda: readonly AgendaItem[],
  simulation: Simulation,
  { fromMs, isOver }: CarryOutOptions,
): Promise<number> {
  const { scheduler } = simulation;
  const fate = new SimulatedProcess(scheduler, 'fate');
  let left = agenda.length;
  let failure: unknown;
  const doAll = async () => {
    for (const { atMs, run } of agenda) {
      await scheduler.sleep(fate, fromMs + atMs - scheduler.now());
      // The remaining items must not happen later either, when no more faults are allowed.
      if (isOver()) return;
      await run();
      left -= 1;
    }
  };
  doAll().catch((error: unknown) => {
    failure = error;
  });
  await simulation.runUntil(() => left === 0 || failure !== undefined || isOver(), Number.POSITIVE_INFINITY);
  if (failure !== undefined) throw failure;
  return left;
}
