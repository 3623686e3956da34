import type { FaultKind } from './faults/fault-kinds.ts';
import type { Violation } from './invariants/violation.ts';
import type { SimulationPlan } from './plan.ts';
import { WorkloadError } from './telling-errors.ts';

/** The result of a smaller plan: whether it still fails in the same way, and how many faults happened at calls. */
export interface Attempted {
  readonly fails: boolean;
  readonly faults: number;
}

const MOST_RUNS = 400;

/** Whether two violations report the same fault, even if they name other objects and numbers. */
export function isSameFault(left: Violation | undefined, right: Violation | undefined): boolean {
  const kindOf = (violation: Violation | undefined) =>
    violation && `${violation.invariant} ${violation.what.replaceAll(/\S*\d\S*/g, '#')}`;
  return kindOf(left) === kindOf(right);
}

/**
 * Returns the smallest plan that was found to fail in the same way. It leaves out kinds of faults, disturbances,
 * actions and single faults as long as the plan still fails. Each run is a history of its own, so this is a search, not
 * a proof.
 */
export async function shrink(
  plan: SimulationPlan,
  attempt: (plan: SimulationPlan) => Promise<Attempted>,
): Promise<SimulationPlan> {
  let best = plan;
  let faults = 0;
  let runs = 0;
  const tryPlan = async (candidate: SimulationPlan): Promise<boolean> => {
    if (runs >= MOST_RUNS) return false;
    runs += 1;
    const result = await attempt(candidate).catch(otherwise);
    if (!result.fails) return false;
    best = candidate;
    faults = result.faults;
    return true;
  };
  await tryPlan(plan);
  for (let size = Number.POSITIVE_INFINITY; sizeOf(best, faults) < size && runs < MOST_RUNS; ) {
    size = sizeOf(best, faults);
    for (const kind of Object.keys(best.rates) as FaultKind[]) await tryPlan(withoutRate(best, kind));
    await tryPlan({ ...best, workers: 1 });
    await dropParts(best.lullsAtMs, (lullsAtMs) => tryPlan({ ...best, lullsAtMs }));
    await tryPlan({ ...best, relays: 1, sweeps: 1, resync: false });
    await dropParts(best.disturbances, (disturbances) => tryPlan({ ...best, disturbances }));
    if (best.withdrawals.length > 0)
      await dropParts(best.withdrawals, (withdrawals) => tryPlan({ ...best, withdrawals }));
    if (Object.keys(best.scope).length > 0) await tryPlan({ ...best, scope: {} });
    if (best.targetResyncMs !== undefined) await tryPlan(withoutTargetResync(best));
    await dropParts(best.actions, (actions) => tryPlan({ ...best, actions }));
    const happening = Array.from({ length: faults }, (_, number) => number).filter(
      (number) => !best.skippedFaults.includes(number),
    );
    const skipped = best.skippedFaults;
    await dropParts(happening, (kept) => {
      const skippedFaults = [...skipped, ...happening.filter((number) => !kept.includes(number))];
      return tryPlan({ ...best, skippedFaults });
    });
  }
  return best;
}

/** An action may depend on one that was left out. The error that it throws then is not the wanted failure. */
function otherwise(error: unknown): Attempted {
  if (error instanceof WorkloadError) return { fails: false, faults: 0 };
  throw error;
}

function sizeOf(plan: SimulationPlan, faults: number): number {
  const { actions, disturbances, withdrawals, rates, skippedFaults } = plan;
  const happening = Math.max(0, faults - skippedFaults.length);
  return actions.length + disturbances.length + withdrawals.length + Object.keys(rates).length + happening;
}

function withoutTargetResync({ targetResyncMs: _, ...plan }: SimulationPlan): SimulationPlan {
  return plan;
}

function withoutRate(plan: SimulationPlan, kind: FaultKind): SimulationPlan {
  const { [kind]: _, ...rates } = plan.rates;
  return { ...plan, rates };
}

/** Leaves out halves, then quarters, and so on down to single items, as long as the plan still fails without them. */
async function dropParts<Item>(items: readonly Item[], keep: (items: Item[]) => Promise<boolean>): Promise<void> {
  let left = [...items];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const candidate = [...left.slice(0, from), ...left.slice(from + size)];
      if (await keep(candidate)) left = candidate;
      else from += size;
    }
  }
}
