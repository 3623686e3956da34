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

/** The largest number of keys in a `BatchGetItem`. */
const MAX_TARGETS_A_READ = 100;

/** An event to send; with `onlyIfKnown` only if its target has an item. */
export interface Wakeup {
  readonly event: SkinnyEvent;
  readonly onlyIfKnown: boolean;
}

/** The incarnation in which an observation was made, and the time at which its events are sent. */
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
 * The events for the object itself, if its kind is reconciled, and for its controller owner. An object that the scope
 * leaves out needs an event only if it was a target before. The same holds for an owner: the author of the object wrote
 * the reference, which may name an owner that does not exist, or have a wrong address. An owner without an
 * item gets a pass by its own event, and reads the object then.
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
  /** Events that must be sent. */
  readonly events: SkinnyEvent[];
  /** Changes that are not already observed, but whose target has a running pass that may commit them soon. */
  readonly inPass: Wakeup[];
}

/**
 * Selects the events that must be sent. It reads the items of their targets, consistently and in batches. It drops an
 * event that needs a known target and has none, and an event that is already observed. A worker would refuse both.
 * Dropping them here costs a part of a read instead of a message and a refused write (docs/decisions/0008).
 * When an item cannot be read, the events of its target are dropped and the target is logged, because each of them
 * would fail until it is a dead letter. Resync finds their changes when the item can be read again.
 */
export async function selectEvents(deps: SelectDependencies, wakeups: readonly Wakeup[]): Promise<SkinnyEvent[]> {
  return (await selectWakeups(deps, wakeups)).events;
}

/**
 * As selectEvents, but events whose target has a lease are returned separately. All wakeups of such a target are among
 * them, so that none overtakes another.
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

/** Every event except the target's own gets the recorded address, not the one of an owner reference. */
function atRecordedAddress(event: SkinnyEvent, state: TargetState | undefined): SkinnyEvent {
  if (state === undefined || isOwnEvent(event)) return event;
  const { namespace, name } = state.target;
  return { ...event, namespace, name };
}

/**
 * Reads the items of the targets. It keeps only what the selection of these wakeups needs: an item may have 400 KB,
 * mostly versions of objects that other wakeups are about.
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
