import type { ConditionInput } from '../../../core/conditions.ts';
import type { ReconcileResult } from '../../../core/controller.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { baseStatus, conditionInput, conditionOfAll, notEvaluated } from '../../../kit/conditions.ts';
import { isUnread, observe } from '../../../kit/observation.ts';
import { ManagedDatabases } from '../kinds.ts';
import { standingOf } from '../ownership.ts';
import type { ReadError } from '../read-error.ts';
import { type CredentialsInput, credentialsStep, pruneOldDatabases } from './credentials-step.ts';
import { databaseGate } from './database-gate.ts';
import { gatewayAddress } from './desired-objects.ts';
import {
  contentProof,
  type GatewayRecord,
  hasFinished,
  type Milestone,
  namespaceProof,
  readGatewayRecord,
} from './gateway-record.ts';
import { DEFAULT_IDENTITY_CHECK_MS, type GatewaySettings } from './gateway-settings.ts';
import { type Gateway, parseGateway } from './gateway-spec.ts';
import { type GatewayPhase, gatewayHealth, type Health, previousPhase, unknownHealth } from './health.ts';
import { identityStep } from './identity-step.ts';
import { RecordKeeper, recordJson } from './record-keeper.ts';
import { namespaceStep, readDeployment, type StepInput, workloadStep } from './resource-steps.ts';
import { retryLater } from './retry-later.ts';
import { routeRefusal, routeStep } from './route-step.ts';
import { DONE, failureOf, resourcesApplied, type StepResult, WITHHELD, waiting, worst } from './step.ts';

/** One pass over a Gateway that is not being deleted. */
export async function reconcileGateway(
  object: KubeObject,
  context: ReconcileContext,
  settings: GatewaySettings,
): Promise<ReconcileResult> {
  const keeper = new RecordKeeper(object, readGatewayRecord(context.values, object.status), context);
  const parsed = parseGateway(object);
  if (!parsed.valid) return invalid(object, keeper.record, parsed.message, context);
  const { gateway } = parsed;
  await keeper.keepSeed(settings.newSeed);

  const databaseName = { namespace: gateway.owner.namespace, name: gateway.databaseName };
  const database = databaseGate(gateway.databaseName, await observe(() => context.get(ManagedDatabases, databaseName)));
  const identity = await identityStep(object, gateway, settings, database.open, keeper, context);
  const gate = gateResult(database.condition, identity.condition);
  const databaseUid = database.uid ?? keeper.record.databaseUids.at(-1);
  const hasFailed = database.failure !== undefined || identity.failure !== undefined;
  const beside = databaseUid === undefined ? undefined : { databaseUid, databaseNamespaceUid: database.namespaceUid };
  const steps = await provision({ object, gateway, settings, keeper, context }, gate, beside, hasFailed);

  const health = await observeHealth(gateway, object, keeper.record, steps, context);
  const results = steps.map(({ result }) => result);
  // A refused object does not exist, or is kept with its proof.
  const isInPlace = results.every(({ type }) => type === 'done' || type === 'refused');
  if (!hasFailed && steps.length === PROVISIONING_STEPS && isInPlace) await keeper.keepProven();
  const conditions = [database.condition, identity.condition, resourcesApplied(results), health.available];
  const failure = database.failure ?? failureOf(results);
  const address = gatewayAddress(gateway, hasRoute(steps));
  const status = gatewayStatus(object, keeper.record, health.phase, conditions, context.nowMs, address);
  return {
    outcome: outcomeOf({ failure, identity: identity.failure }, worst(results), gateway, settings, context),
    progressing: database.uid !== undefined && !database.open ? true : isRollingOut(conditions, health),
    status,
  };
}

/** The Deployment is not ready yet, and nothing else keeps the gateway from it. */
function isRollingOut(conditions: readonly ConditionInput[], { phase, available }: Health): boolean {
  const isBlocked = conditions.some((condition) => condition !== available && condition.status === 'False');
  return !isBlocked && (phase === 'Provisioning' || phase === 'Degraded');
}

/** Whether there is a route, or will be: the spec asks for it, and it was not refused. */
function hasRoute(steps: readonly TakenStep[]): boolean {
  const route = steps.find(({ milestone }) => milestone === 'route')?.result;
  return route?.type !== 'refused' || route.kept;
}

/** Namespace, credentials, workload, route. Fewer steps run when the first ones show that nothing else can exist. */
const PROVISIONING_STEPS = 4;

type Context = Omit<StepInput, 'rules' | 'mayDelete'>;

interface TakenStep {
  readonly milestone: Exclude<Milestone, 'none'>;
  readonly result: StepResult;
}

/**
 * The steps in the cluster, in order. They repair what exists, whatever the gates and the steps before report. The same holds
 * for the objects of a milestone that was reached once. Other objects are created only when all gates and earlier steps are
 * done.
 */
async function provision(
  context: Context,
  gate: StepResult,
  database: Pick<CredentialsInput, 'databaseUid' | 'databaseNamespaceUid'> | undefined,
  hasFailed: boolean,
): Promise<TakenStep[]> {
  const taken: TakenStep[] = [];
  let mounted: KubeObject | undefined;
  const take = async (milestone: TakenStep['milestone'], run: (input: StepInput) => Promise<StepResult>) => {
    const before = worst([gate, ...taken.map(({ result }) => result)]);
    const { keeper, gateway } = context;
    // Creates nothing in a namespace that could not be read, because it may belong to somebody else by now.
    const isUnseen = taken.some((step) => step.milestone === 'namespace' && step.result.type === 'failed');
    const mayCreate = before.type === 'done' || (hasFinished(keeper.record, milestone) && !isUnseen);
    const proof = milestone === 'namespace' ? namespaceProof(keeper.record) : contentProof(keeper.record);
    const rules = { owner: gateway.owner, mayCreate, adopt: gateway.adopt, proof };
    const mayDelete = !hasFailed && taken.every(({ result }) => result.type !== 'failed');
    const result = await run({ ...context, rules, mayDelete });
    const isWanted = milestone !== 'route' || gateway.routeHost !== undefined;
    if (result.type === 'done' && before.type === 'done' && isWanted) await keeper.finish(milestone);
    taken.push({ milestone, result: result.type === 'waiting' && result.reason === WITHHELD ? before : result });
  };

  await take('namespace', namespaceStep);
  const namespace = taken[0]?.result ?? DONE;
  // Without our own namespace no other object can exist or be read in it.
  if (namespace.type === 'conflict' || namespace.type === 'waiting' || database === undefined) {
    return [...taken, { milestone: 'route', result: await routeRefusal(context) }];
  }
  await take('credentials', async (input) => {
    const credentials = await credentialsStep({ ...input, ...database });
    mounted = credentials.mounted;
    if (credentials.result.type !== 'done') return credentials.result;
    return await pruneOldDatabases({ ...input, ...database });
  });
  await take('workload', (input) => workloadStep(input, database.databaseUid, mounted));
  await take('route', routeStep);
  return taken;
}

/** The gates before the first creation of any object in the cluster. */
function gateResult(database: ConditionInput, identity: ConditionInput): StepResult {
  if (database.status !== 'True') return waiting('WaitingForDatabase', database.message);
  return identity.status === 'True' ? DONE : waiting('WaitingForIdentity', identity.message);
}

async function observeHealth(
  gateway: Gateway,
  object: KubeObject,
  record: GatewayRecord,
  steps: readonly TakenStep[],
  context: ReconcileContext,
): Promise<Health> {
  const before = previousPhase(object.status);
  const results = steps.map(({ result }) => result);
  if (record.namespaceUid === undefined) {
    return { phase: 'Pending', available: notEvaluated('Available', 'The gateway is not provisioned yet.') };
  }
  const deployment = await observe(() => readDeployment(gateway, context));
  if (isUnread(deployment)) return unknownHealth(before);
  const own =
    deployment.type === 'found' &&
    standingOf(deployment.value, gateway.owner.uid, undefined, contentProof(record)) === 'ours'
      ? deployment.value
      : undefined;
  const health = gatewayHealth(own, gateway.replicas, before);
  const isBlocked = own === undefined && worst(results).type === 'conflict';
  return isBlocked ? { ...health, phase: 'Failed' } : health;
}

function outcomeOf(
  { failure, identity: identityFailure }: { failure: ReadError | undefined; identity: ReadError | undefined },
  worstResult: StepResult,
  { identity }: Gateway,
  settings: GatewaySettings,
  context: ReconcileContext,
): Outcome {
  if (identityFailure !== undefined) return retryLater(failure ?? identityFailure, context.nowMs, identityFailure);
  if (failure !== undefined) return retry(failure);
  if (worstResult.type === 'conflict') return terminal('OwnershipConflict', worstResult.message);
  // No event reports a change of the client.
  if (identity === undefined || settings.identity === undefined) return settled();
  return checkAt(context.nowMs + (settings.identityCheckMs ?? DEFAULT_IDENTITY_CHECK_MS));
}

/** Reports a specification that is invalid although it was admitted, and changes nothing. */
function invalid(
  object: KubeObject,
  record: GatewayRecord,
  message: string,
  context: ReconcileContext,
): ReconcileResult {
  const conditions = [
    notEvaluated('DatabaseReady'),
    notEvaluated('IdentityReady'),
    conditionInput('ResourcesApplied', 'False', 'InvalidSpec', message),
    notEvaluated('Available'),
  ];
  const status = gatewayStatus(object, record, 'Failed', conditions, context.nowMs);
  return { outcome: terminal('InvalidSpec', message), status };
}

export function gatewayStatus(
  object: KubeObject,
  record: GatewayRecord,
  phase: GatewayPhase,
  conditions: readonly ConditionInput[],
  nowMs: number,
  address?: string,
): JsonObject {
  const message = 'The gateway is as its spec asks, and it serves.';
  const ready = conditionOfAll(conditions, { type: 'Ready', reason: 'AllSatisfied', message });
  return {
    ...baseStatus(object, [...conditions, ready], nowMs),
    phase,
    ...recordJson(object, record),
    ...(address !== undefined && hasFinished(record, 'workload') && { address }),
  };
}
