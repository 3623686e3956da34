import type { ChangedObject } from '../../core/changed-object.ts';
import { type Cover, coverOf, isCovered } from '../../core/cover.ts';
import {
  type DeletedFacts,
  EVENT_VERSION,
  type EventFacts,
  isOwnEvent,
  type ShownFacts,
  type SkinnyEvent,
} from '../../core/event.ts';
import { isLeaseExpired, type LeaseTerms } from '../../core/lease.ts';
import type { ObjectKey } from '../../core/observation.ts';
import { type Target, targetId } from '../../core/target.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { TargetState, TargetStore } from '../../ports/state-store.ts';
import { reportUnreadableItem } from './report-unreadable.ts';
import type { SeenObject } from './seen-object.ts';

/** `BatchGetItem` takes this many keys. */
const MAX_TARGETS_A_READ = 100;

/** An event to send; with `onlyIfKnown` only if its target has an item. */
export interface Wakeup {
  readonly event: SkinnyEvent;
  readonly onlyIfKnown: boolean;
}

/** Which incarnation an observation was made in, and when its events are sent. */
export interface Stamp {
  readonly incarnation: number;
  readonly atMs: number;
}

export function skinnyEvent(target: Target, { incarnation, atMs }: Stamp, facts: EventFacts): SkinnyEvent {
  const { cluster, kind, uid, namespace, name } = target;
  return { v: EVENT_VERSION, cluster, incarnation, kind, namespace, name, uid, at: atMs, ...facts };
}

export function dependencyEvent(reader: Target, stamp: Stamp, changed: ChangedObject): SkinnyEvent {
  return skinnyEvent(reader, stamp, { cause: 'dependency', changed });
}

export function changedObject(seen: SeenObject): ChangedObject {
  const { kind, namespace, name, uid, resourceVersion } = seen;
  const key = { kind: kind.id, namespace, name };
  if (uid === '' || resourceVersion === '') return key;
  return { ...key, uid, resourceVersion, ...(seen.change === 'deleted' && { deleted: true }) };
}

/**
 * The object itself, where its kind is reconciled, and its controller owner. An object that the scope leaves out is worth
 * an event only if it was a target before. So is an owner: the author of the object wrote the reference, which may name an
 * owner that does not exist, or with a wrong address. An owner without an item is woken by its own event, and
 * reads the object then.
 */
export function ownWakeups(seen: SeenObject, cluster: string, stamp: Stamp): Wakeup[] {
  const wakeups: Wakeup[] = [];
  if (seen.target !== 'none') {
    const { uid, namespace, name } = seen;
    const itself: Target = { cluster, kind: seen.kind.id, uid, namespace, name };
    wakeups.push({
      event: skinnyEvent(itself, stamp, shownFacts(seen)),
      onlyIfKnown: seen.target === 'unselected',
    });
  }
  if (seen.owner !== undefined && seen.owner.uid !== seen.uid) {
    wakeups.push({
      event: dependencyEvent(seen.owner, stamp, changedObject(seen)),
      onlyIfKnown: true,
    });
  }
  return wakeups;
}

function shownFacts({ target, change, resourceVersion }: SeenObject): ShownFacts | DeletedFacts {
  if (change === 'deleted') return { cause: change, resourceVersion };
  if (target === 'unselected') return { cause: 'deleted', resourceVersion, unselected: true };
  return { cause: change, resourceVersion };
}

export interface SelectDependencies {
  readonly store: Pick<TargetStore, 'readTargets'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The wakeups, sorted by what to do with them. */
export interface Selection {
  /** Worth a message. */
  readonly events: SkinnyEvent[];
  /** Not already observed, but a pass of their target runs and may be about to commit their change. */
  readonly inPass: Wakeup[];
}

/**
 * Selects the events that are worth a message. It reads their targets' items consistently and in batches. It drops an event
 * that needs a known target and has none, and an event that is already observed. A worker would refuse both; dropped here
 * they cost part of a read instead of a message and a refused write (docs/decisions/0008).
 *
 * Those of a target whose item cannot be read are dropped and the target is named: each of them would fail until it is a
 * dead letter (R-5.19). Resync finds their changes once the item can be read again.
 */
export async function selectEvents(deps: SelectDependencies, wakeups: readonly Wakeup[]): Promise<SkinnyEvent[]> {
  return (await selectWakeups(deps, wakeups)).events;
}

/**
 * The same, with those set apart whose target holds a lease; every wakeup of such a target, so that none overtakes
 * another.
 * @param leases decides whether a lease has expired; without it every lease counts as expired.
 */
export async function selectWakeups(
  deps: SelectDependencies,
  wakeups: readonly Wakeup[],
  leases?: { readonly nowMs: number; readonly terms: LeaseTerms },
): Promise<Selection> {
  const candidates = wakeups.map((wakeup) => ({ wakeup, cover: coverOf(wakeup.event) }));
  const uncertain = candidates.filter(({ wakeup, cover }) => wakeup.onlyIfKnown || cover !== undefined);
  const states = await readStates(deps.store, uncertain);
  const stateOf = ({ event }: Wakeup) => states.get(targetId(event));
  for (const state of states.values()) if (state.unreadable !== undefined) reportUnreadableItem(deps, state);
  const wanted = candidates.filter(({ wakeup, cover }) => {
    const state = stateOf(wakeup);
    if (state?.unreadable !== undefined) return false;
    return state === undefined ? !wakeup.onlyIfKnown : !isCovered(cover, state);
  });
  const running = new Set<string>();
  for (const { wakeup, cover } of wanted) {
    const untilMs = cover === undefined ? undefined : stateOf(wakeup)?.lease?.untilMs;
    if (untilMs === undefined || leases === undefined || isLeaseExpired(untilMs, leases.nowMs, leases.terms)) continue;
    running.add(targetId(wakeup.event));
  }
  const [inPass, events] = [true, false].map((isRunning) =>
    wanted.map(({ wakeup }) => wakeup).filter(({ event }) => running.has(targetId(event)) === isRunning),
  ) as [Wakeup[], Wakeup[]];
  return { events: events.map((wakeup) => atRecordedAddress(wakeup.event, stateOf(wakeup))), inPass };
}

/** Any event but the target's own carries the recorded address, not one from an owner reference. */
function atRecordedAddress(event: SkinnyEvent, state: TargetState | undefined): SkinnyEvent {
  if (state === undefined || isOwnEvent(event)) return event;
  const { namespace, name } = state.target;
  return { ...event, namespace, name };
}

/**
 * Reads the targets' items. It keeps only what the selection of these wakeups needs: an item may hold 400 KB, most of it
 * versions of objects that other wakeups are about (R-5.18).
 */
async function readStates(
  store: Pick<TargetStore, 'readTargets'>,
  candidates: readonly { readonly wakeup: Wakeup; readonly cover: Cover | undefined }[],
): Promise<Map<string, TargetState>> {
  const targets = new Map<string, Target>();
  const objects = new Map<string, ObjectKey[]>();
  for (const { wakeup, cover } of candidates) {
    const id = targetId(wakeup.event);
    targets.set(id, wakeup.event);
    if (cover?.type === 'object') objects.set(id, [...(objects.get(id) ?? []), cover.object]);
  }
  const states = new Map<string, TargetState>();
  const keys = [...targets.values()];
  for (let from = 0; from < keys.length; from += MAX_TARGETS_A_READ) {
    for (const state of await store.readTargets(keys.slice(from, from + MAX_TARGETS_A_READ))) {
      const id = targetId(state.target);
      states.set(id, {
        ...state,
        versions: pick(state.versions, objects.get(id) ?? []),
        edges: [],
        dirty: [],
        values: {},
      });
    }
  }
  return states;
}

function pick(versions: Readonly<Record<ObjectKey, number>>, objects: readonly ObjectKey[]): Record<ObjectKey, number> {
  const picked: Record<ObjectKey, number> = {};
  for (const object of objects) {
    const version = versions[object];
    if (version !== undefined) picked[object] = version;
  }
  return picked;
}
