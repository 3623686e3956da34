import { type ConditionFinding, mergeConditions, readConditions } from '../../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { conditionsJson } from '../findings.ts';
import { CLUSTER_NAME, databaseNamespace } from '../names.ts';
import type { DatabaseRecord } from './database-record.ts';

export type DatabasePhase = 'Pending' | 'Provisioning' | 'Ready' | 'Degraded' | 'Failed' | 'Terminating';

export function previousPhase(status: unknown): DatabasePhase {
  const { phase } = (typeof status === 'object' && status !== null ? status : {}) as { phase?: unknown };
  const known: readonly DatabasePhase[] = ['Provisioning', 'Ready', 'Degraded', 'Failed', 'Terminating'];
  return known.find((each) => each === phase) ?? 'Pending';
}

export function databaseStatus(
  object: KubeObject,
  record: DatabaseRecord,
  phase: DatabasePhase,
  conditions: readonly ConditionFinding[],
  nowMs: number,
): JsonObject {
  const generation = object.metadata.generation ?? 0;
  const merged = mergeConditions(readConditions(object.status), conditions, generation, nowMs);
  return {
    observedGeneration: generation,
    phase,
    ...recordJson(object.metadata.uid, record),
    conditions: conditionsJson(merged),
  };
}

/** The status as it was found, with the record as it is now: what is published before an object is made. */
export function statusWithRecord(object: KubeObject, record: DatabaseRecord): JsonObject {
  const found = typeof object.status === 'object' && object.status !== null ? (object.status as JsonObject) : {};
  const { namespace: _, cluster: __, heldData: ___, ...rest } = found;
  return { ...rest, ...recordJson(object.metadata.uid, record) };
}

function recordJson(uid: string, { namespaceUid, clusterUid, heldData }: DatabaseRecord): JsonObject {
  const named = (name: string, known: string) => ({ name, ...(known !== '' && { uid: known }) });
  return {
    ...(namespaceUid !== undefined && { namespace: named(databaseNamespace(uid), namespaceUid) }),
    ...(clusterUid !== undefined && { cluster: named(CLUSTER_NAME, clusterUid) }),
    ...(heldData && { heldData }),
  };
}
