import { readConditions } from '../../lib/core/conditions.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { listKey, objectKey } from '../../lib/core/observation.ts';
import { kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import { explainTarget } from '../inspection/explain-target.ts';
import type { Inspection } from '../inspection/inspection.ts';
import { findTargets } from '../inspection/read-targets.ts';
import type { TargetName } from '../inspection/target-name.ts';
import type { ObjectReader, ObjectView, ShownCondition } from './api-types.ts';
import { type ConsoleSource, frameOf } from './console-source.ts';
import { objectRow } from './object-row.ts';
import { whyOf } from './why.ts';

const MAX_READERS = 50;

/** Everything that is known about one object. @throws EvenkeelError NO_SUCH_OBJECT */
export async function viewObject(source: ConsoleSource, name: TargetName): Promise<ObjectView> {
  const { inspection } = source;
  const beganMs = inspection.clock.monotonic();
  const [explanations, targets, object, readers] = await Promise.all([
    explainTarget(inspection, name),
    findTargets(inspection.store, inspection.cluster, name),
    objectInCluster(inspection, name),
    readersOf(inspection, name.type, name),
  ]);
  const [explanation] = explanations;
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
    ...frameOf(source, inspection.clock.monotonic() - beganMs),
    kind: name.type.kind,
    row,
    explanation,
    why: whyOf(row, explanation, conditions),
    ...(conditions !== undefined && { conditions }),
    ...(isSame && object.metadata.generation !== undefined && { generation: object.metadata.generation }),
    ownedKinds: (controller?.owns ?? []).map(kindId),
    ...readers,
  };
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
