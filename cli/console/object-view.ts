import { readConditions } from '../../lib/core/conditions.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { PAUSED_ANNOTATION } from '../../lib/core/installation.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { listKey, objectKey } from '../../lib/core/observation.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { explainFound } from '../inspection/explain-target.ts';
import type { Inspection } from '../inspection/inspection.ts';
import type { TargetName } from '../inspection/target-name.ts';
import type { ObjectReader, ObjectView, ShownCondition } from './api-types.ts';
import type { ConsoleReads } from './console-reads.ts';
import { objectRow } from './object-row.ts';
import { whyOf } from './why.ts';

const MAX_READERS = 50;
/** An address has one UID, or for a short time two. */
const MAX_UIDS = 10;

/** Everything that is known about one object. @throws EvenkeelError NO_SUCH_OBJECT */
export async function viewObject(reads: ConsoleReads, name: TargetName): Promise<ObjectView> {
  const { inspection } = reads.source;
  const [targets, object, readers] = await Promise.all([
    targetsOf(reads, name),
    objectInCluster(inspection, name),
    readersOf(inspection, name.type, name),
  ]);
  const [explanation] = await explainFound(inspection, name.type, targets);
  const target = targets.find(({ target: { uid } }) => uid === explanation?.uid);
  if (explanation === undefined || target === undefined)
    throw new EvenkeelError(
      'NO_SUCH_OBJECT',
      `no pass of ${name.type.kind} ${name.namespace === '' ? '' : `${name.namespace}/`}${name.name} is known in cluster ${inspection.cluster}.`,
    );
  const row = objectRow(target, name.type, inspection);
  const isSame = object !== undefined && object.metadata.uid === explanation.uid;
  const conditions = isSame ? readConditions(object.status).map(shown) : undefined;
  const controller = inspection.registry.controllerOf(kindId(name.type));
  return {
    ...reads.frame(),
    kind: name.type.kind,
    row,
    explanation,
    why: whyOf(row, explanation, conditions),
    ...(conditions !== undefined && { conditions }),
    ...(isSame && object.metadata.generation !== undefined && { generation: object.metadata.generation }),
    ...(isSame && { pausedByAnnotation: object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true' }),
    ownedKinds: (controller?.owns ?? []).map(kindId),
    ...readers,
  };
}

/** The items of an object, the one with the latest pass first. The last read of the table has their UIDs. */
async function targetsOf({ source, inventory }: ConsoleReads, name: TargetName): Promise<TargetState[]> {
  const { store, cluster } = source.inspection;
  const kind = kindId(name.type);
  const { value } = await inventory.latest();
  const keys = value.named(kind, name.namespace, name.name).map(({ uid }) => ({ cluster, kind, uid }));
  const targets = keys.length === 0 ? [] : await store.readTargets(keys.slice(0, MAX_UIDS));
  return targets.sort((left, right) => right.epoch - left.epoch);
}

/** Undefined when the cluster cannot be reached from here or does not answer; then the view shows only the table. */
async function objectInCluster({ api }: Inspection, name: TargetName): Promise<KubeObject | undefined> {
  return await api?.get(name.type, name).catch(() => undefined);
}

/** Only these fields of an object leave the server (R-1.24). */
function shown(condition: ReturnType<typeof readConditions>[number]): ShownCondition {
  const { type, status, reason, message, observedGeneration, lastTransitionTime } = condition;
  return {
    type,
    status,
    reason,
    message,
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  };
}

/** The objects whose last pass read or listed this one. */
async function readersOf(
  { store, cluster, registry }: Inspection,
  type: ResourceType,
  name: TargetName,
): Promise<Pick<ObjectView, 'readBy' | 'moreReaders'>> {
  const kind = kindId(type);
  const keys = [objectKey(kind, name), listKey(kind, name.namespace), listKey(kind, '')];
  const readBy = new Map<string, ObjectReader>();
  let moreReaders = false;
  for (const key of new Set(keys)) {
    const page = await store.readers(cluster, key, { limit: MAX_READERS + 1 });
    if (page.next !== undefined) moreReaders = true;
    for (const { reader } of page.items)
      readBy.set(reader.uid, {
        kind: registry.controllerOf(reader.kind)?.type.kind ?? reader.kind,
        namespace: reader.namespace,
        name: reader.name,
      });
  }
  const all = [...readBy.values()];
  return { readBy: all.slice(0, MAX_READERS), moreReaders: moreReaders || all.length > MAX_READERS };
}
