import { EvenkeelError } from '../../lib/core/errors.ts';
import { Namespaces } from '../../lib/core/resource-type.ts';
import {
  type ClusterIdentity,
  clusterTokenSecret,
  RELAY_IDENTITY,
  roleOutput,
} from '../../lib/deployment/cloud/cloud-names.ts';
import { SYSTEM_NAMESPACE } from '../../lib/deployment/kubernetes/system-namespace.ts';
import { isApiError } from '../../lib/ports/cluster-api.ts';
import type { Parameter } from '../../lib/ports/parameter-store.ts';
import type { ClusterAuth, ContextCluster, StageTools } from './cluster-tools.ts';
import type { Step } from './steps.ts';

const DAY_SECONDS = 86_400;
/** A token is renewed when the time left is less than this, or less than a third of the requested lifetime. */
const RENEW_BEFORE_SECONDS = 30 * DAY_SECONDS;

/** An IAM role of a stage, and the user group of Kubernetes that it is in. */
export interface Principal {
  readonly roleArn: string;
  readonly group: string;
}

/** The steps that give each identity of a stage access to a cluster, by a token of its service account. */
export async function tokenSteps(
  identities: readonly ClusterIdentity[],
  lifetimeSeconds: number,
  parameter: Parameter & { readonly cluster: string },
  { administration }: ContextCluster,
  tools: StageTools,
): Promise<Step[]> {
  const { stage, secrets, secretWriter, clock } = tools;
  const steps: Step[] = [];
  for (const identity of identities) {
    const name = clusterTokenSecret(stage, parameter.cluster, identity);
    const token = await secrets.read(name);
    if (
      token !== undefined &&
      lasts(token, lifetimeSeconds, clock.now()) &&
      (await isTaken(parameter, identity, tools))
    )
      continue;
    const account = { namespace: SYSTEM_NAMESPACE, name: `evenkeel-${identity}` };
    steps.push({
      text: `${token === undefined ? 'create' : 'renew'} the token of ServiceAccount ${account.namespace}/${account.name} in secret ${name}`,
      run: async () => {
        const issued = await administration.issueToken(account, lifetimeSeconds);
        await secretWriter.put(name, issued.token, `Token of ${identity} for cluster ${parameter.cluster}`);
        return `valid until ${new Date(issued.expiresAtMs).toISOString()}`;
      },
    });
  }
  return steps;
}

/**
 * The steps that give each identity of a stage access to an EKS cluster, by its IAM role. @throws EvenkeelError
 * OLD_STACK
 */
export async function entrySteps(
  identities: readonly ClusterIdentity[],
  { clusterName, region }: Extract<ClusterAuth, { type: 'eks' }>,
  tools: StageTools,
): Promise<Step[]> {
  const entries = tools.accessEntries(region);
  const steps: Step[] = [];
  for (const { roleArn, group } of await principals(identities, tools)) {
    const groups = await entries.groupsOf(clusterName, roleArn);
    if (groups?.includes(group) === true) continue;
    steps.push({
      text: `${groups === undefined ? 'create' : 'change'} the access entry of ${roleArn} in EKS cluster ${clusterName}, with the user group ${group}`,
      run: async () => {
        await entries.put(clusterName, roleArn, [...(groups ?? []), group]);
        return undefined;
      },
    });
  }
  return steps;
}

/** The steps that remove the access of each identity. For access that is already gone there is no step. */
export async function removalSteps(
  identities: readonly ClusterIdentity[],
  cluster: string,
  eks: Extract<ClusterAuth, { type: 'eks' }> | undefined,
  tools: StageTools,
): Promise<Step[]> {
  const { stage, secrets, secretWriter } = tools;
  const steps: Step[] = [];
  for (const identity of identities) {
    const name = clusterTokenSecret(stage, cluster, identity);
    if ((await secrets.read(name)) === undefined) continue;
    steps.push({
      text: `delete secret ${name}`,
      run: async () => {
        await secretWriter.remove(name);
        return undefined;
      },
    });
  }
  if (eks === undefined) return steps;
  const entries = tools.accessEntries(eks.region);
  for (const { roleArn } of await principals(identities, tools)) {
    if ((await entries.groupsOf(eks.clusterName, roleArn)) === undefined) continue;
    steps.push({
      text: `delete the access entry of ${roleArn} in EKS cluster ${eks.clusterName}`,
      run: async () => {
        await entries.remove(eks.clusterName, roleArn);
        return undefined;
      },
    });
  }
  return steps;
}

/** The roles of a stage's identities. The relay of a container is no function, and has no role here. @throws EvenkeelError OLD_STACK */
export async function principals(
  identities: readonly ClusterIdentity[],
  { stack, stage }: Pick<StageTools, 'stack' | 'stage'>,
): Promise<Principal[]> {
  const outputs = (await stack.describe())?.outputs ?? {};
  return identities.flatMap((identity) => {
    const isRelay = identity === RELAY_IDENTITY;
    const keys = isRelay ? ['relay', 'resync'] : [`reconcile-${identity}`];
    const arns = keys.flatMap((key) => outputs[roleOutput(key)] ?? []);
    if (arns.length === 0 && !isRelay) {
      throw new EvenkeelError(
        'OLD_STACK',
        `the stack of stage ${stage} has no output ${roleOutput(keys[0] ?? '')}, so the role of ${identity} is not known. Nothing was changed. Deploy the stage with this release first.`,
      );
    }
    return arns.map((roleArn) => ({ roleArn, group: `evenkeel:${identity}` }));
  });
}

/** Whether the token has enough time left. A token without an end has. */
function lasts(token: string, lifetimeSeconds: number, nowMs: number): boolean {
  const end = endSeconds(token);
  return end === undefined || end - nowMs / 1_000 >= Math.min(RENEW_BEFORE_SECONDS, lifetimeSeconds / 3);
}

/** The claim `exp` of a JWT (RFC 7519, 4.1.4). */
function endSeconds(token: string): number | undefined {
  const [, claims = ''] = token.split('.');
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the cluster accepts the stored token. If the cluster knows the token and only forbids this read, the token
 * counts as accepted.
 */
async function isTaken(parameter: Parameter, identity: ClusterIdentity, tools: StageTools): Promise<boolean> {
  try {
    const name = { namespace: '', name: 'kube-system' };
    await tools.reach(parameter, identity).get(Namespaces, name, { metadataOnly: true });
    return true;
  } catch (error) {
    if (isApiError(error, 'Unauthorized')) return false;
    if (isApiError(error, 'Forbidden')) return true;
    throw error;
  }
}
