import type { FinalizeResult } from '../../../core/controller.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../core/kube-object.ts';
import { retry, settled } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Namespaces, type ResourceType } from '../../../core/resource-type.ts';
import { conditionInput, notEvaluated } from '../../../kit/conditions.ts';
import type { Removed } from '../../../kit/ensure-owned.ts';
import { listedNames } from '../../../kit/failure-conditions.ts';
import { isUnread, observe } from '../../../kit/observation.ts';
import { type CleanupStep, cleanUp, failedStep } from '../cleanup.ts';
import { withDefinition } from '../kind-absence.ts';
import { Clusters } from '../kinds.ts';
import { CLUSTER_NAME, databaseNamespace } from '../names.ts';
import { knownUid, provingUid, type RemovalRules, removeObject, strangersNamespace } from '../owned-objects.ts';
import { ownerOf, standingOf, withoutMarks } from '../ownership.ts';
import type { ReadError } from '../read-error.ts';
import {
  type DatabaseRecord,
  type DatabaseSettings,
  databaseProof,
  databaseValues,
  readDatabaseRecord,
  type SeededDatabaseRecord,
  seededRecord,
  shownUids,
} from './database-record.ts';
import { databaseStatus, statusWithRecord } from './database-status.ts';
import { inUse, readReferences } from './references.ts';

/**
 * While Gateways refer to the database, nothing is changed. After that the Cluster and its namespace are deleted, in this
 * order, or released if the policy is to retain them.
 */
export async function finalizeDatabase(
  found: KubeObject,
  context: ReconcileContext,
  { newSeed }: DatabaseSettings,
): Promise<FinalizeResult> {
  const { record: current, failure } = await currentRecord(found, context);
  const record = seededRecord(current, newSeed);
  await context.saveValues(databaseValues(record));
  // The proof of ownership reads the recorded UIDs from the status, which anybody may have edited.
  const object = await context.publishStatus(statusWithRecord(found, record));
  const references = await readReferences(object, context);
  const condition = inUse(references);
  const pendingStatus = (conditions: Parameters<typeof databaseStatus>[3]) =>
    databaseStatus(object, record, 'Terminating', conditions, context.nowMs);

  if (isUnread(references)) {
    const text = `Whether Gateways refer to the database could not be read; nothing is deleted, and it is tried again.`;
    const pending = conditionInput('CleanupPending', 'True', 'GatewayListFailed', text);
    const ready = conditionInput('Ready', 'False', 'Terminating', text);
    const status = pendingStatus([notEvaluated('Provisioned'), condition, pending, ready]);
    return { done: false, outcome: retry(references.error), status };
  }
  if (references.type === 'found' && references.value.length > 0) {
    const text = `The deletion waits for ${references.value.length} Gateways: ${listedNames(references.value)}.`;
    const pending = conditionInput('CleanupPending', 'True', 'GatewaysRemain', text);
    const ready = conditionInput('Ready', 'False', 'GatewaysRemain', text);
    const status = pendingStatus([notEvaluated('Provisioned'), condition, pending, ready]);
    return { done: false, outcome: settled(), status };
  }
  const result = await cleanUp([...failedStep('Namespace', failure), ...stepsOf(object, record, context)]);
  if (result.type === 'done') return { done: true };
  const ready = conditionInput('Ready', 'False', 'Terminating', result.condition.message);
  const status = pendingStatus([notEvaluated('Provisioned'), condition, result.condition, ready]);
  return { done: false, outcome: result.type === 'failed' ? retry(result.error) : settled(), status };
}

/** Read only when record and status disagree. */
async function currentRecord(
  { metadata, status }: KubeObject,
  context: ReconcileContext,
): Promise<{ readonly record: DatabaseRecord; readonly failure?: ReadError }> {
  const record = readDatabaseRecord(context.values, status);
  const shown = shownUids(status);
  const namespace = databaseNamespace(metadata.uid);
  const failures: ReadError[] = [];
  const current = async (type: ResourceType, name: ObjectName, recorded?: string, visible?: string) => {
    if (visible === undefined || visible === recorded) return recorded;
    const present = await observe(() => context.get(type, name));
    if (isUnread(present)) failures.push(present.error);
    return knownUid(recorded, visible, present.type === 'found' ? present.value : undefined);
  };
  const cluster = { namespace, name: CLUSTER_NAME };
  const agreed = {
    ...record,
    namespaceUid: await current(Namespaces, { namespace: '', name: namespace }, record.namespaceUid, shown.namespace),
    clusterUid: await current(Clusters, cluster, record.clusterUid, shown.cluster),
  };
  const [failure] = failures;
  return { record: agreed, ...(failure !== undefined && { failure }) };
}

function stepsOf(object: KubeObject, record: SeededDatabaseRecord, context: ReconcileContext): CleanupStep[] {
  const namespace = databaseNamespace(object.metadata.uid);
  const cluster = { namespace, name: CLUSTER_NAME };
  const remove = retains(object) ? release : removeObject;
  const steps: CleanupStep[] = [];
  const owner = ownerOf(object);
  if (record.clusterUid !== undefined) {
    const rules = { owner, recordedUid: record.clusterUid || undefined, proof: databaseProof(record, 'cluster') };
    const step = { what: 'Cluster', remove: () => remove(context, Clusters, cluster, rules) };
    steps.push(withDefinition(step, Clusters, context));
  }
  const recordedUid = provingUid(record.namespaceUid);
  const rules = { owner, recordedUid, proof: databaseProof(record, 'namespace') };
  steps.push({
    what: 'Namespace',
    remove: async () => {
      const removed = await remove(context, Namespaces, { namespace: '', name: namespace }, rules);
      return strangersNamespace(removed, record.namespaceUid);
    },
  });
  return steps;
}

/** Without a valid policy the data is kept. */
function retains({ spec }: KubeObject): boolean {
  return (spec as { deletionPolicy?: unknown } | undefined)?.deletionPolicy !== 'Delete';
}

/** Removes our marks from an object, and confirms by a fresh read that they are gone. */
async function release(
  context: ReconcileContext,
  type: ResourceType,
  name: { namespace: string; name: string },
  { owner, recordedUid, proof }: RemovalRules,
): Promise<Removed> {
  const observed = await context.get(type, name);
  if (observed === undefined) return { type: 'absent' };
  const standing = standingOf(observed, owner.uid, recordedUid, proof);
  if (standing === 'foreign' || standing === 'unowned') return { type: 'absent' };
  await context.mergePatch(type, observed, withoutMarks() as unknown as JsonObject);
  const released = await context.getAgain(type, name);
  if (released === undefined) return { type: 'absent' };
  const left = standingOf(released, owner.uid, recordedUid, proof);
  return left === 'foreign' || left === 'unowned' ? { type: 'absent' } : { type: 'pending', object: released };
}
