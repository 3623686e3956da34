import { type ChangedObject, EVENT_VERSION, type SkinnyEvent } from '../../core/event.ts';
import type { Target } from '../../core/target.ts';
import type { TargetStore } from '../../ports/state-store.ts';
import type { SeenObject } from './seen-object.ts';

/** `BatchGetItem` takes this many keys. */
export const MAX_TARGETS_A_READ = 100;

/** An event to send, perhaps only if its target is one that some pass has handled before. */
export interface Wakeup {
  readonly event: SkinnyEvent;
  readonly onlyIfKnown: boolean;
}

/** Which incarnation an observation was made in, and when its events are sent. */
export interface Stamp {
  readonly incarnation: number;
  readonly atMs: number;
}

export function skinnyEvent(
  target: Target,
  { incarnation, atMs }: Stamp,
  what: Omit<SkinnyEvent, keyof Target | 'v' | 'incarnation' | 'at'>,
): SkinnyEvent {
  const { cluster, kind, uid, namespace, name } = target;
  return { v: EVENT_VERSION, cluster, incarnation, kind, namespace, name, uid, at: atMs, ...what };
}

export function dependencyEvent(reader: Target, stamp: Stamp, changed: ChangedObject): SkinnyEvent {
  return skinnyEvent(reader, stamp, { cause: 'dependency', changed });
}

export function changedObject(seen: SeenObject): ChangedObject {
  const { kind, namespace, name, uid, resourceVersion } = seen;
  return {
    kind: kind.id,
    namespace,
    name,
    uid,
    resourceVersion,
    ...(seen.change === 'deleted' ? { deleted: true } : {}),
  };
}

/**
 * The object itself, where its kind is reconciled, and its controller owner. An object that the scope leaves out is worth
 * an event only if it was a target before; so is, where labels divide a cluster among installations, an owner that may
 * be another one's.
 */
export function ownWakeups(seen: SeenObject, cluster: string, stamp: Stamp, ownersMustBeKnown: boolean): Wakeup[] {
  const wakeups: Wakeup[] = [];
  const { resourceVersion, change } = seen;
  if (seen.target !== 'none') {
    const { uid, namespace, name } = seen;
    const itself: Target = { cluster, kind: seen.kind.id, uid, namespace, name };
    const left = seen.target === 'unselected' && change !== 'deleted';
    wakeups.push({
      event: skinnyEvent(itself, stamp, {
        cause: left ? 'deleted' : change,
        resourceVersion,
        ...(left ? { unselected: true } : {}),
      }),
      onlyIfKnown: seen.target === 'unselected',
    });
  }
  if (seen.owner !== undefined && seen.owner.uid !== seen.uid) {
    wakeups.push({
      event: dependencyEvent(seen.owner, stamp, changedObject(seen)),
      onlyIfKnown: ownersMustBeKnown,
    });
  }
  return wakeups;
}

/** The events to send: those that depend on a known target are checked against the table, in batches. */
export async function settleWakeups(store: TargetStore, wakeups: readonly Wakeup[]): Promise<SkinnyEvent[]> {
  const uncertain = [
    ...new Map(wakeups.filter(({ onlyIfKnown }) => onlyIfKnown).map(({ event }) => [event.uid, event])),
  ];
  const known = new Set<string>();
  for (let from = 0; from < uncertain.length; from += MAX_TARGETS_A_READ) {
    const keys = uncertain.slice(from, from + MAX_TARGETS_A_READ).map(([, event]) => event);
    for (const { target } of await store.readTargets(keys)) known.add(target.uid);
  }
  return wakeups.filter(({ event, onlyIfKnown }) => !onlyIfKnown || known.has(event.uid)).map(({ event }) => event);
}
