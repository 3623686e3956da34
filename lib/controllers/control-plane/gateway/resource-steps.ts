import type { DesiredObject, KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { ConfigMaps, Deployments, Namespaces, type ResourceType } from '../../../core/resource-type.ts';
import { NetworkPolicies, ServiceAccounts, Services } from '../kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../names.ts';
import { ensureObject, knownUid, type OwnRules, provingUid, willBeOurs } from '../owned-objects.ts';
import { standingOf } from '../ownership.ts';
import { expectedError } from '../read-error.ts';
import { type CredentialsMarks, hashCredentials, presentMarks, wantedMarks } from './credentials-content.ts';
import {
  desiredConfig,
  desiredDeployment,
  desiredNamespace,
  desiredNetworkPolicy,
  desiredService,
  desiredServiceAccount,
} from './desired-objects.ts';
import { hasFinished } from './gateway-record.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import type { Gateway } from './gateway-spec.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { attempt, ensuredResult, type StepResult, worst } from './step.ts';

export interface StepInput {
  /** The Gateway as it was read. */
  readonly object: KubeObject;
  readonly gateway: Gateway;
  readonly rules: OwnRules;
  /** Whether no read of this pass failed. A pass with a failure runs again. */
  readonly mayDelete: boolean;
  readonly settings: GatewaySettings;
  readonly keeper: RecordKeeper;
  readonly context: ReconcileContext;
}

/**
 * Lists that are compared as a whole. The port names of a Service must be unique, so a port that somebody else added
 * under our name would make our port invalid.
 */
const WHOLE_LISTS = ['ports'];

export async function namespaceStep({ gateway, rules, keeper, context }: StepInput): Promise<StepResult> {
  return await attempt('Making the namespace', async () => {
    const object = desiredNamespace(gateway);
    const present = await context.get(Namespaces, { namespace: '', name: object.metadata.name });
    const known = () => provingUid(knownUid(keeper.record.namespaceUid, keeper.shownNamespaceUid, present));
    const isNew = present === undefined || standingOf(present, gateway.owner.uid) === 'unowned';
    if (isNew && willBeOurs(present, rules)) await keeper.keep({ namespaceUid: '' });
    const recordedUid = known();
    const ensured = await ensureObject(context, { type: Namespaces, object }, { ...rules, recordedUid });
    if (ensured.type === 'present') await keeper.keepNamespace(ensured.object.metadata.uid);
    return ensuredResult('Namespace', ensured);
  });
}

/**
 * ServiceAccount, ConfigMap, NetworkPolicy, Service, Deployment, in this order. For the first creation, each one needs
 * the one before. After that, each one is repaired independently of the others.
 * @param credentials the Secret that the Pods mount; undefined while it is absent or cannot be read.
 */
export async function workloadStep(
  { gateway, rules, settings, keeper, context }: StepInput,
  databaseUid: string,
  credentials: KubeObject | undefined,
): Promise<StepResult> {
  const isFinished = hasFinished(keeper.record, 'workload');
  const config = desiredConfig(gateway, databaseUid, settings);
  const present = await runningMarks(gateway, context);
  const marks = credentials === undefined ? present : wantedMarks(hashCredentials(keeper.seed, credentials), present);
  const wanted: [ResourceType, DesiredObject][] = [
    [ServiceAccounts, desiredServiceAccount(gateway)],
    [ConfigMaps, config],
    [NetworkPolicies, desiredNetworkPolicy(gateway)],
    [Services, desiredService(gateway)],
    [Deployments, desiredDeployment(gateway, config.data, marks)],
  ];
  const results: StepResult[] = [];
  for (const [type, object] of wanted) {
    const earlier = worst(results);
    const mayCreate = rules.mayCreate && (isFinished || earlier.type === 'done');
    results.push(
      await attempt(`Making the ${type.kind}`, async () =>
        ensuredResult(
          type.kind,
          await ensureObject(context, { type, object, wholeLists: WHOLE_LISTS }, { ...rules, mayCreate }),
        ),
      ),
    );
  }
  return worst(results);
}

/** Reads our Deployment again, for the report on health. */
export async function readDeployment(gateway: Gateway, context: ReconcileContext): Promise<KubeObject | undefined> {
  return await context.get(Deployments, { namespace: gatewayNamespace(gateway.owner.uid), name: GATEWAY_NAME });
}

/** The marks of the existing Deployment; undefined when it cannot be read. */
async function runningMarks(gateway: Gateway, context: ReconcileContext): Promise<CredentialsMarks | undefined> {
  try {
    return presentMarks(await readDeployment(gateway, context));
  } catch (error) {
    // The error is ignored here: the next read of the Deployment fails too and is reported.
    expectedError(error);
    return undefined;
  }
}
