import type { KubeObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Checkers } from './checkers.ts';
import type { Simulation } from './simulation.ts';
import type { User } from './user.ts';
import type { Target, Withdrawals } from './withdrawals.ts';
import type { Fault } from './workload.ts';

/** The time in which a pass must see what a user did, and the changes that follow from it. */
const SEEN_BOUND_MS = 120_000;

export interface LeaveAloneOptions {
  readonly simulation: Simulation;
  readonly checkers: Checkers;
  readonly withdrawals: Withdrawals;
  readonly how: 'pause' | 'take out';
  readonly user: User;
  /** Makes the usual changes of users. */
  readonly disturb: () => Promise<unknown>;
  /** Undoes the changes with which the objects could not come to rest. */
  readonly settle: () => Promise<unknown>;
  /** Runs until nothing is left to do, but not longer than `byMs`. @returns what is left. */
  readonly rest: (byMs: number, unrest: () => Fault[]) => Promise<Fault[]>;
}

/**
 * In the steady state, users pause some targets or take them out of the scope. They change these and the objects around
 * them, delete one, and give them back. Until they are given back, the finalizers of these targets and their items in
 * the table must stay. After that everything converges.
 */
export async function leaveAlone(options: LeaveAloneOptions): Promise<void> {
  const { simulation, checkers, withdrawals, how, user, disturb, rest } = options;
  const { scheduler } = simulation;
  const toRest = async (unrest: () => Fault[]) => {
    for (const fault of await rest(scheduler.now() + SEEN_BOUND_MS, unrest)) checkers.report(fault);
    return checkers.violations.length === 0;
  };
  const isChosen = ({ onlyManaged, object }: Target) =>
    user.chance(0.5) && !(onlyManaged && how === 'take out') && object.metadata.deletionTimestamp === undefined;
  const taken = withdrawals.targets().filter((target) => isChosen(target) && !withdrawals.isTaken(target));
  if (taken.length === 0) return;
  for (const target of taken) await withdrawals.take(target, how, user);
  const idle = () => checkers.unseen();
  if (!(await toRest(idle))) return;
  const [first] = taken;
  const own = finalizerOf(simulation, first);
  if (first !== undefined && own !== undefined && user.chance(0.5)) await user.remove(first.type, nameOf(first.object));
  await disturb();
  await options.settle();
  if (!(await toRest(idle))) return;
  for (const target of taken) for (const fault of lostOf(target, simulation, withdrawals)) checkers.report(fault);
  for (const target of taken) {
    const object = simulation.cluster.get(target.type, nameOf(target.object));
    if (object !== undefined) await withdrawals.giveBack({ ...target, object }, user);
  }
  await toRest(() => checkers.unrest());
}

/**
 * What is missing of a target that is paused or left out. Users may have given it back or replaced it; then nothing is
 * missing.
 */
function lostOf(
  { type, object, onlyManaged }: Target,
  { cluster, store, registry }: Simulation,
  withdrawals: Withdrawals,
): Fault[] {
  const now = cluster.get(type, nameOf(object));
  const { uid, name } = object.metadata;
  const own = registry.controllerOf(kindId(type))?.finalizer;
  const isHeld = own !== undefined && object.metadata.finalizers?.includes(own) === true;
  if (now?.metadata.uid !== uid || !withdrawals.isTaken({ type, object: now, onlyManaged })) return [];
  const faults: Fault[] = [];
  if (isHeld && now.metadata.finalizers?.includes(own) !== true)
    faults.push({ invariant: 'I6', what: `${kindId(type)} ${name} lost its finalizer while it was left alone` });
  if (!store.contents().targets.some(({ target }) => target.uid === uid))
    faults.push(`nothing is known any more of ${kindId(type)} ${name}, which is only left alone`);
  return faults;
}

function finalizerOf({ registry }: Simulation, target: Target | undefined): string | undefined {
  return target === undefined ? undefined : registry.controllerOf(kindId(target.type))?.finalizer;
}

function nameOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
