import type { ConditionInput } from '../../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { baseStatus, statusFields } from '../../../kit/conditions.ts';
import { CLUSTER_NAME, databaseNamespace } from '../names.ts';
import type { DatabaseRecord } from './database-record.ts';

export type DatabasePhase = 'Pending' | 'Provisioning' | 'Ready' | 'Degraded' | 'Failed' | 'Terminating';

export function previousPhase(status: unknown): DatabasePhase {
  const { phase } = statusFields(status);
  const known: readonly DatabasePhase[] = ['Provisioning', 'Ready', 'Degraded', 'Failed', 'Terminating'];
  return known.find((each) => each === phase) ?? 'Pending';
}

export function databaseStatus(
  object: KubeObject,
  record: DatabaseRecord,
  phase: DatabasePhase,
  conditions: readonly ConditionInput[],
  nowMs: number,
): JsonObject {
  return { ...baseStatus(object, conditions, nowMs), phase, ...recordJson(object.metadata.uid, record) };
}

/** The status as it was read, with the present record. It is published before an object is created. */
export function statusWithRecord(object: KubeObject, record: DatabaseRecord): JsonObject {
  const { namespace: _, cluster: __, heldData: ___, ...rest } = statusFields(object.status);
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
