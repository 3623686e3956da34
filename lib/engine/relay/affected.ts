import { isOwnEvent } from '../../core/event.ts';
import { type EdgeKey, listKey, objectKey } from '../../core/observation.ts';
import { targetId } from '../../core/target.ts';
import { ReaderCount, type ReaderDependencies, type ReadersByGroup, readersOf } from '../fanout/readers.ts';
import type { SeenObject } from '../fanout/seen-object.ts';
import { changedObject, dependencyEvent, ownWakeups, type Stamp, type Wakeup } from '../fanout/wakeup.ts';
import { type WideChange, wideChange } from '../fanout/wide-change.ts';

export interface AffectedOptions extends ReaderDependencies {
  readonly cluster: string;
}

export interface Affected {
  readonly wakeups: readonly Wakeup[];
  /** Changes with many readers, by group. Their readers do not get events of their own. */
  readonly wide: readonly WideChange[];
}

/**
 * Which objects need a pass after watch events, in the order of the events: the object itself, its controller owner, and
 * every object whose stored dependency names the object or a list that it belongs to. Of several events about one object to
 * one target, the last one is enough. Without a stored dependency there is no event. If a group has many readers, rounds send
 * the change instead.
 *
 * All objects were seen before the dependencies are queried, consistently. A pass writes a dependency before the read that it
 * stands for. So a reader without a stored dependency here reads later than the change.
 */
export async function affectedBy(
  seen: readonly SeenObject[],
  stamp: Stamp,
  options: AffectedOptions,
): Promise<Affected> {
  const { cluster } = options;
  const readers = await queryReaders(options, new Set(seen.flatMap(edgeKeys)));
  const wakeups = new Map<string, Wakeup>();
  const wide: WideChange[] = [];
  for (const object of seen) {
    const ofObject = new Map<string, Wakeup>();
    for (const wakeup of ownWakeups(object, cluster, stamp)) {
      ofObject.set(targetId(wakeup.event), wakeup);
    }
    const ofGroups = new ReaderCount(options);
    for (const key of edgeKeys(object)) ofGroups.addAll(readers.get(key) ?? new Map());
    for (const [group, edges] of ofGroups.byGroup()) {
      if (edges === 'many') {
        wide.push(wideChange(cluster, group, stamp.incarnation, changedObject(object)));
        continue;
      }
      for (const { reader } of edges) {
        const event = dependencyEvent(reader, stamp, changedObject(object));
        const before = ofObject.get(targetId(reader));
        // A stored dependency proves that its reader is known, and shows the address of the reader. An owner reference does
        // neither.
        if (before === undefined || before.onlyIfKnown) {
          const keepsOwn = before !== undefined && isOwnEvent(before.event);
          ofObject.set(targetId(reader), { event: keepsOwn ? before.event : event, onlyIfKnown: false });
        }
      }
    }
    const about = objectKey(object.kind.id, object);
    for (const [target, wakeup] of ofObject) {
      const key = `${target} ${about}`;
      wakeups.delete(key);
      wakeups.set(key, wakeup);
    }
  }
  return { wakeups: [...wakeups.values()], wide };
}

function edgeKeys({ kind, namespace, name }: SeenObject): EdgeKey[] {
  if (!kind.read) return [];
  const keys = [objectKey(kind.id, { namespace, name }), listKey(kind.id, namespace)];
  return kind.listedEverywhere && namespace !== '' ? [...keys, listKey(kind.id, '')] : keys;
}

async function queryReaders(
  options: AffectedOptions,
  keys: ReadonlySet<EdgeKey>,
): Promise<Map<EdgeKey, ReadersByGroup>> {
  const readers = new Map<EdgeKey, ReadersByGroup>();
  const queries = [...keys].map(async (key) => {
    readers.set(key, await readersOf(options, options.cluster, key));
  });
  const failed = (await Promise.allSettled(queries)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return readers;
}
