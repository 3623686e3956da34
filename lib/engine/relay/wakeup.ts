import { type ChangedObject, EVENT_VERSION, type SkinnyEvent } from '../../core/event.ts';
import { type Target, targetId } from '../../core/target.ts';
import { isCovered } from '../../ports/is-covered.ts';
import type { TargetState, TargetStore } from '../../ports/state-store.ts';
import { coverOf } from '../pass/cover.ts';
import type { SeenObject } from './seen-object.ts';

/** `BatchGetItem` takes this many keys. */
const MAX_TARGETS_A_READ = 100;

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

/**
 * The events that are worth a message, judged on their targets' items, read consistently and in batches: those that need
 * a known target and have none are dropped, and so are those that are covered. A committed pass has seen what these speak
 * of, so a worker would do nothing but refuse them; dropped here they cost part of a read instead of a message and a
 * refused write (docs/decisions/0008).
 */
export async function settleWakeups(store: TargetStore, wakeups: readonly Wakeup[]): Promise<SkinnyEvent[]> {
  const judged = wakeups.map((wakeup) => ({ ...wakeup, cover: coverOf(wakeup.event) }));
  const uncertain = judged.filter(({ onlyIfKnown, cover }) => onlyIfKnown || cover !== undefined);
  const states = await readStates(store, new Map(uncertain.map(({ event }) => [targetId(event), event])));
  return judged
    .filter(({ event, onlyIfKnown, cover }) => {
      const state = states.get(targetId(event));
      return state === undefined ? !onlyIfKnown : !isCovered(cover, state);
    })
    .map(({ event }) => event);
}

async function readStates(store: TargetStore, targets: ReadonlyMap<string, Target>): Promise<Map<string, TargetState>> {
  const states = new Map<string, TargetState>();
  const keys = [...targets.values()];
  for (let from = 0; from < keys.length; from += MAX_TARGETS_A_READ) {
    for (const state of await store.readTargets(keys.slice(from, from + MAX_TARGETS_A_READ))) {
      states.set(targetId(state.target), state);
    }
  }
  return states;
}
