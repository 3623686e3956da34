import type { ChangedObject } from '../../core/changed-object.ts';
import { dueAtByThisClock } from '../../core/deadline.ts';
import { shardOf } from '../../core/hash.ts';
import { ABSENT_VERSION, type EdgeKey, type ObjectKey, objectKey, parseObjectKey } from '../../core/observation.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { isListEdge, positionOf } from '../fanout/edge-cursor.ts';
import { reportUnreadableItem } from '../fanout/report-unreadable.ts';
import { skinnyEvent } from '../fanout/wakeup.ts';
import { type WideChange, wideChange } from '../fanout/wide-change.ts';
import { TargetComparison } from './compare-targets.ts';
import { isAboutToRun, isUnseen } from './is-unseen.ts';
import type { KindList } from './kind-list.ts';
import type { ResyncTick } from './resync-tick.ts';

/** Complete lists by kind. A kind whose list failed is absent, and resync concludes nothing about its objects. */
export type KindLists = ReadonlyMap<KindId, KindList>;

/**
 * Walks the inventory of a kind once, after all lists. It finds targets at another version than their list shows, targets
 * that either the list or the inventory lacks, and targets whose recorded dependencies differ from the lists.
 * @param outdatedLeft how many targets may still get an event because of their reconciler's version.
 * @returns how many are left.
 */
export async function compareInventory(
  run: ResyncTick,
  kind: KindId,
  lists: KindLists,
  outdatedLeft: number,
): Promise<number> {
  const { store, cluster } = run.deps;
  const list = lists.get(kind);
  const comparison = list === undefined ? undefined : new TargetComparison(run, list, outdatedLeft);
  for (let shard = 0; shard < store.shards; shard += 1) {
    let after: string | undefined;
    do {
      run.signal.throwIfAborted();
      const page = await store.inventory(cluster, kind, shard, after);
      for (const found of page.items) {
        if (found.unreadable !== undefined) {
          // The target is known, but its item cannot be read. An event for it would only fail again and again.
          comparison?.skip(found.target.uid);
          reportUnreadableItem(run.deps, found);
          continue;
        }
        const state = await withDeadlineOfThisClock(run, found);
        if ((await comparison?.item(state)) !== true) await compareItem(run, state, lists);
      }
      after = page.next;
    } while (after !== undefined);
  }
  await comparison?.unknown();
  return comparison?.left ?? outdatedLeft;
}

/** Moves a timer that a wrong clock set to its right time, as the sweep does for near timers. */
async function withDeadlineOfThisClock(run: ResyncTick, state: TargetState): Promise<TargetState> {
  const { dueAtMs, epoch, target } = state;
  if (dueAtMs === undefined) return state;
  const nowMs = run.deps.clock.now();
  const movedAtMs = dueAtByThisClock({ ...state, dueAtMs }, nowMs, run.options.lease.clockSkewMs);
  if (movedAtMs === undefined) return state;
  const moved = await run.deps.store.pushDue(target, { dueAtMs, epoch }, movedAtMs, nowMs);
  return moved ? { ...state, dueAtMs: movedAtMs, dueSetAtMs: nowMs, wakeSent: false } : state;
}

async function compareItem(run: ResyncTick, state: TargetState, lists: KindLists): Promise<void> {
  const { target } = state;
  if (isAboutToRun(state, run.deps.clock.now(), run.options.lease)) return;
  const list = lists.get(target.kind);
  const listVersion = list?.listVersionText(target.namespace);
  if (list !== undefined && listVersion !== undefined && isMissing(run, list, state)) {
    await reportMissing(run, state, listVersion);
    return;
  }
  // Records of another incarnation prove nothing.
  if (state.incarnation !== run.incarnation || state.lastOutcome?.type === 'unmanaged') return;
  const changed = (await changedDependency(run, state, lists)) ?? newInList(run, state, lists);
  if (changed === undefined) return;
  const { incarnation, tick, deps } = run;
  const event = skinnyEvent(target, { incarnation, atMs: deps.clock.now() }, { cause: 'resync', tick, changed });
  const seen = changed.absentAt === undefined ? `at ${changed.resourceVersion}` : 'absent';
  const about = `${changed.kind}/${positionOf(changed)} ${seen}`;
  await run.differences.add(event, changed.kind, about, roundFor(run, state, changed));
}

/**
 * The change in the form that a round sends. Undefined if its event would count as already observed: when versions went back,
 * the target recorded a later version than the list shows.
 */
function roundFor(run: ResyncTick, { target, versions }: TargetState, changed: ChangedObject): WideChange | undefined {
  const { registry, cluster } = run.deps;
  const group = registry.controllerOf(target.kind)?.group;
  const wentBack = (versions[objectKey(changed.kind, changed)] ?? -1) > Number(changed.resourceVersion ?? Infinity);
  return group === undefined || wentBack ? undefined : wideChange(cluster, group, run.incarnation, changed);
}

/**
 * Whether the target is known, and absent from a complete list that is not older than the version that the last pass saw. A
 * version that was seen before a restore was seen before the list, whatever its number.
 */
function isMissing(run: ResyncTick, list: KindList, { target, observedVersion, incarnation }: TargetState): boolean {
  if (!list.covers(target.namespace) || list.target(target.uid) !== undefined) return false;
  if (list.mayHold(positionOf(target), target.uid)) return false;
  const listVersion = list.listVersion(target.namespace);
  if (incarnation === undefined || incarnation < run.incarnation) return true;
  if (observedVersion === undefined || listVersion === undefined) return true;
  return observedVersion <= listVersion;
}

async function reportMissing(run: ResyncTick, state: TargetState, resourceVersion: string): Promise<void> {
  const { target } = state;
  const isUnmanaged = state.lastOutcome?.type === 'unmanaged';
  // Spread over the ticks by UID.
  const everyTicks = run.options.unmanagedEveryTicks;
  if (isUnmanaged && (run.tick + shardOf(target.uid, everyTicks)) % everyTicks !== 0) return;
  const event = skinnyEvent(
    target,
    { incarnation: run.incarnation, atMs: run.deps.clock.now() },
    { cause: 'deleted', tick: run.tick, resourceVersion },
  );
  await run.differences.add(event, target.kind, isUnmanaged ? undefined : 'deleted');
}

/** The first recorded dependency that differs from its list. */
async function changedDependency(
  run: ResyncTick,
  state: TargetState,
  lists: KindLists,
): Promise<ChangedObject | undefined> {
  for (const [key, recorded] of Object.entries(state.versions)) {
    const { kind, namespace, name } = parseObjectKey(key);
    const list = lists.get(kind);
    const listVersionText = list?.listVersionText(namespace);
    if (list === undefined || !list.kind.read || listVersionText === undefined) continue;
    const position = positionOf({ namespace, name });
    const listVersion = list.listVersion(namespace);
    if (list.has(position)) {
      const listed = list.version(position);
      if (isUnseen(recorded, listed, listVersion)) return { kind, namespace, name, resourceVersion: String(listed) };
    } else if (list.mayHold(position)) {
      // Its readers cannot read it either, so nothing is known about it.
    } else if (recorded !== ABSENT_VERSION && (listVersion === undefined || recorded <= listVersion)) {
      // A labelled list does not hold an object without our label. Such an object is polled instead.
      if (list.kind.labelled && (await isPolled(run, state, key))) continue;
      return { kind, namespace, name, absentAt: listVersionText };
    }
  }
  return undefined;
}

async function isPolled(run: ResyncTick, { target }: TargetState, key: ObjectKey): Promise<boolean> {
  const group = run.deps.registry.controllerOf(target.kind)?.group ?? '';
  const { kind, namespace, name } = parseObjectKey(key);
  return (await run.deps.store.readPoll({ cluster: target.cluster, group, kind, namespace, name })) !== undefined;
}

/**
 * Whether an object appeared in a list that the target reads. The pass recorded what it listed, but a selector may have
 * left objects out. If the pass did not record the object that changed last, that object is new only if it changed
 * after the pass started. If the pass recorded that object at the listed version or later, it saw all others too.
 */
function newInList(run: ResyncTick, state: TargetState, lists: KindLists): ChangedObject | undefined {
  const { lastOutcome, versions } = state;
  const beganAtMs = lastOutcome === undefined ? undefined : lastOutcome.atMs - lastOutcome.durationMs;
  for (const edge of state.edges.filter(isListEdge)) {
    const newest = newestOfList(edge, lists);
    if (newest === undefined || newest.key in versions) continue;
    const { changedAtMs } = newest;
    if (changedAtMs === undefined || beganAtMs === undefined || changedAtMs <= beganAtMs - run.options.clockMarginMs)
      continue;
    return { ...parseObjectKey(newest.key), resourceVersion: String(newest.version) };
  }
  return undefined;
}

function newestOfList(edge: EdgeKey, lists: KindLists) {
  const { kind, namespace } = parseObjectKey(edge);
  const list = lists.get(kind);
  if (list === undefined || !list.kind.read || !list.covers(namespace)) return undefined;
  const newest = list.newest(namespace);
  return newest === undefined ? undefined : { ...newest, key: `${kind}/${newest.position}` };
}
