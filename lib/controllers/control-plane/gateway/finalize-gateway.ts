import type { FinalizeResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { type Outcome, settled } from '../../../core/outcome.ts';
import type { Propagation, ReconcileContext } from '../../../core/reconcile-context.ts';
import { Deployments, Namespaces, type ResourceType, Secrets } from '../../../core/resource-type.ts';
import { conditionInput, notEvaluated } from '../../../kit/conditions.ts';
import type { Removed } from '../../../kit/ensure-owned.ts';
import { isUnread, observe } from '../../../kit/observation.ts';
import { type CleanupResult, type CleanupStep, cleanUp, failedStep } from '../cleanup.ts';
import { withDefinition } from '../kind-absence.ts';
import { DatabaseRoles, Databases, GrpcRoutes, Services } from '../kinds.ts';
import { databaseNamespace, databaseObjectName, GATEWAY_NAME, gatewayNamespace } from '../names.ts';
import { knownUid, provingUid, removeObject, strangersNamespace } from '../owned-objects.ts';
import { ownerOf, standingOf } from '../ownership.ts';
import type { ReadError } from '../read-error.ts';
import {
  contentProof,
  databaseProof,
  type GatewayRecord,
  gatewayValues,
  namespaceProof,
  type RecordedClient,
  readGatewayRecord,
  seededRecord,
  shownNamespaceUid,
} from './gateway-record.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import { otherServer } from './identity-step.ts';
import { gatewayStatus } from './reconcile-gateway.ts';
import { statusWithRecord } from './record-keeper.ts';
import { retryLater } from './retry-later.ts';
import { removeClient } from './sync-client.ts';

/** Removes the objects of a Gateway, in order. Each is confirmed absent before the next. */
export async function finalizeGateway(
  found: KubeObject,
  context: ReconcileContext,
  settings: GatewaySettings,
): Promise<FinalizeResult> {
  const read = readGatewayRecord(context.values, found.status);
  const current = await currentNamespaceUid(read, found, context);
  const record = seededRecord({ ...read, namespaceUid: current.uid }, settings.newSeed);
  await context.saveValues(gatewayValues(record));
  // The proof of ownership reads the recorded UIDs from the status, which anybody may have edited.
  const object = await context.publishStatus(statusWithRecord(found, record));
  const steps = stepsOf(object, record, context, settings);
  const result = await cleanUp([...failedStep('Namespace', current.failure), ...steps]);
  if (result.type === 'done') return { done: true };
  const terminating = (type: string) => notEvaluated(type, 'The Gateway is being deleted.');
  const conditions = [
    terminating('DatabaseReady'),
    terminating('IdentityReady'),
    terminating('ResourcesApplied'),
    conditionInput('Available', 'False', 'Terminating', result.condition.message),
    result.condition,
  ];
  const status = gatewayStatus(object, record, 'Terminating', conditions, context.nowMs);
  return { done: false, outcome: outcomeOf(result, context), status };
}

/** Read only when record and status disagree. */
async function currentNamespaceUid(
  { namespaceUid }: GatewayRecord,
  { metadata, status }: KubeObject,
  context: ReconcileContext,
): Promise<{ readonly uid: string | undefined; readonly failure?: ReadError }> {
  const shown = shownNamespaceUid(status);
  if (shown === undefined || shown === namespaceUid) return { uid: namespaceUid };
  const name = { namespace: '', name: gatewayNamespace(metadata.uid) };
  const present = await observe(() => context.get(Namespaces, name));
  if (isUnread(present)) return { uid: namespaceUid, failure: present.error };
  return { uid: knownUid(namespaceUid, shown, present.type === 'found' ? present.value : undefined) };
}

function outcomeOf(result: Exclude<CleanupResult, { type: 'done' }>, context: ReconcileContext): Outcome {
  return result.type === 'failed' ? retryLater(result.error, context.nowMs) : settled();
}

/** Route and Service, Deployment, identity client, database objects, namespace. */
function stepsOf(
  object: KubeObject,
  record: GatewayRecord,
  context: ReconcileContext,
  settings: GatewaySettings,
): CleanupStep[] {
  const { uid } = object.metadata;
  const owner = ownerOf(object);
  const own = { namespace: gatewayNamespace(uid), name: GATEWAY_NAME };
  const step = (type: ResourceType, how: { propagation?: Propagation } = {}): CleanupStep => ({
    what: type.kind,
    remove: () => removeObject(context, type, own, { owner, proof: contentProof(record), ...how }),
  });
  const recordedUid = provingUid(record.namespaceUid);
  return [
    ...(record.routed ? [withDefinition(step(GrpcRoutes), GrpcRoutes, context)] : []),
    step(Services),
    // The Deployment exists until its Pods are gone. The Pods use the client and the database, so those are deleted
    // later.
    step(Deployments, { propagation: 'Foreground' }),
    ...record.clients.map((client) => clientStep(client, context, settings, uid)),
    ...record.databaseUids.flatMap((databaseUid) => databaseSteps(databaseUid, object, record, context)),
    {
      what: 'Namespace',
      remove: async () => {
        const namespace = { namespace: '', name: own.namespace };
        const removed = await removeObject(context, Namespaces, namespace, {
          owner,
          recordedUid,
          proof: namespaceProof(record),
        });
        return strangersNamespace(removed, record.namespaceUid);
      },
    },
  ];
}

function clientStep(
  client: RecordedClient,
  context: ReconcileContext,
  { identity }: GatewaySettings,
  uid: string,
): CleanupStep {
  return {
    what: 'identity client',
    remove: async () => {
      if (identity?.server !== client.server) throw otherServer(client).failure;
      return await removeClient(identity, client, context, uid);
    },
  };
}

/** The data is deleted with the Gateway: the objects are set to drop it before they are deleted. */
function databaseSteps(
  databaseUid: string,
  object: KubeObject,
  record: GatewayRecord,
  context: ReconcileContext,
): CleanupStep[] {
  const owner = ownerOf(object);
  const rules = { owner, proof: databaseProof(record, databaseUid) };
  const name = { namespace: databaseNamespace(databaseUid), name: databaseObjectName(owner.uid) };
  const dropping = (type: ResourceType, policyField: string) => async (): Promise<Removed> => {
    const present = await context.get(type, name);
    const standing = present === undefined ? 'unowned' : standingOf(present, owner.uid, undefined, rules.proof);
    // Also changes an object that somebody deleted before, because its finalizer may still wait for CloudNativePG.
    if (present !== undefined && (standing === 'ours' || standing === 'unmarked')) {
      await context.mergePatch(type, present, { spec: { [policyField]: 'delete' } });
    }
    return await removeObject(context, type, name, rules);
  };
  const step = (type: ResourceType, policyField: string) =>
    withDefinition({ what: type.kind, remove: dropping(type, policyField) }, type, context);
  return [
    step(Databases, 'databaseReclaimPolicy'),
    step(DatabaseRoles, 'databaseRoleReclaimPolicy'),
    { what: 'Secret of the database', remove: () => removeObject(context, Secrets, name, rules) },
  ];
}
