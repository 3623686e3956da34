import type { TargetState } from '../../ports/state-store.ts';
import { TEST_CLUSTER } from '../world.ts';
import type { Checkers } from './checkers.ts';
import { describeLeftovers, type Leftovers, leftovers } from './invariants/leftovers.ts';
import type { SimulationPlan } from './plan.ts';
import type { Simulation } from './simulation.ts';
import { touch } from './touch.ts';
import type { User } from './user.ts';

export const LEFTOVERS_BOUND_MS = 5 * 60_000;
const TOUCHES = 3;
/** A poll of an object that never changes checks each ten minutes whether it still has a reader. */
const UNREAD_POLLS_BOUND_MS = 22 * 60_000;

export interface ClearingOptions {
  readonly simulation: Simulation;
  readonly checkers: Checkers;
  readonly plan: SimulationPlan;
  readonly user: User;
  /** Runs until all has converged and the condition holds, but not longer than `byMs`. */
  readonly rest: (byMs: number, also: () => boolean) => Promise<unknown>;
}

/**
 * A leftover of a crash costs a needless pass: an event about it removes it. A pass that was put off in between does
 * not know what started it, so another pass may follow. What is left after that is reported.
 */
export async function clearLeftovers({ simulation, checkers, plan, user, rest }: ClearingOptions): Promise<void> {
  const { scheduler, store } = simulation;
  const mayVanish = await mayVanishUnseen(simulation);
  const all = (): Leftovers => {
    const found = leftovers(store.contents(), (kind, uid) => checkers.exists(kind, uid));
    return { ...found, items: mayVanish && !plan.resync ? [] : found.items.filter(isSeenToEnd) };
  };
  let touched = new Set<string>();
  const remaining = (): Leftovers => {
    const { items, edges, polls } = all();
    return { items, edges: edges.filter(({ key }) => touched.has(key)), polls };
  };
  for (let round = 0; round < TOUCHES; round += 1) {
    const left = all();
    if (describeLeftovers(left).length === 0) return;
    touched = await touch(left, simulation, user);
    await rest(scheduler.now() + LEFTOVERS_BOUND_MS / TOUCHES, () => {
      const { items, edges } = remaining();
      return items.length + edges.length === 0;
    });
  }
  await rest(scheduler.now() + UNREAD_POLLS_BOUND_MS, () => remaining().polls.length === 0);
  for (const what of describeLeftovers(remaining())) checkers.report({ invariant: 'LEAK', what });
}

/**
 * True when an object may have vanished without an event. This happens in a gap, in a restore, and when a relay died
 * between the two places where it stores its count, which looks like a restore. It also happens before a second list of
 * a kind whose first list has no checkpoint. Only resync finds the items of such objects.
 */
async function mayVanishUnseen({ store, compactions, restores, relists }: Simulation): Promise<boolean> {
  return compactions > 0 || restores > 0 || relists > 0 || (await store.readCluster(TEST_CLUSTER)).incarnation > 1;
}

/**
 * Whether a watch shows the end of the target. No watch does when the target had lost our label; resync finds it only
 * after many ticks.
 */
function isSeenToEnd({ lastOutcome }: TargetState): boolean {
  return lastOutcome?.type !== 'unmanaged';
}
