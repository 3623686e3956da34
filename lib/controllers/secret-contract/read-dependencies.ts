import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { Secrets } from '../../core/resource-type.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import { namespaceAccess, permitsByLabel } from './authorization.ts';
import { hasContentRules, type SecretContract } from './contract.ts';
import type { Observations, ObservedSecret } from './judgement.ts';
import { ExternalSecrets, OLDER_EXTERNAL_SECRETS, SecretContractGrants } from './kinds.ts';
import { NOT_READ, type Observation, observe } from './observation.ts';
import { secretValues } from './secret-values.ts';

/** Polls of many ExternalSecrets are spread by this share of the interval, to earlier and later. */
const POLL_JITTER = 0.1;
const MIN_POLL_INTERVAL_MS = 30_000;

/**
 * Reads the dependencies of a contract. In another namespace it reads only grants until one permits more. In the
 * contract's own namespace, grants matter only for rules that reveal content.
 * @param pollIntervalMs the interval for polling the ExternalSecret.
 */
export async function readDependencies(
  contract: SecretContract,
  context: ReconcileContext,
  pollIntervalMs: number,
): Promise<Observations> {
  const isForeign = contract.secret.namespace !== contract.namespace;
  const grants = isForeign ? await readGrants(contract.secret.namespace, context) : NOT_READ;
  if (!namespaceAccess(contract, grants, context.nowMs).allowed) {
    return { grants, secret: NOT_READ, externalSecret: NOT_READ };
  }
  const [secret, externalSecret] = await Promise.all([
    readSecret(contract, context),
    readExternalSecret(contract, context, pollIntervalMs),
  ]);
  const needsGrants = secret.type === 'found' && hasContentRules(contract) && !permitsByLabel(secret.value.object);
  return {
    grants: grants.type === 'notRead' && needsGrants ? await readGrants(contract.secret.namespace, context) : grants,
    secret,
    externalSecret,
  };
}

export function readGrants(namespace: string, context: ReconcileContext): Promise<Observation<readonly KubeObject[]>> {
  return observe(() => context.list(SecretContractGrants, { namespace }));
}

async function readSecret(contract: SecretContract, context: ReconcileContext): Promise<Observation<ObservedSecret>> {
  const read = await observe(() => context.get(Secrets, contract.secret));
  if (read.type !== 'found') return read;
  const values = secretValues(read.value, contract.keys);
  if (values !== undefined) return { type: 'found', value: { object: read.value, values } };
  const { namespace, name } = contract.secret;
  return {
    type: 'failed',
    error: new ApiError('Malformed', `Secret ${namespace}/${name}: data is not a map of base64 strings`),
  };
}

async function readExternalSecret(
  contract: SecretContract,
  context: ReconcileContext,
  intervalMs: number,
): Promise<Observation<KubeObject>> {
  const { externalSecret, secret } = contract;
  if (externalSecret === undefined) return NOT_READ;
  const jitter = 1 - POLL_JITTER + 2 * POLL_JITTER * context.random();
  const pollIntervalMs = Math.max(MIN_POLL_INTERVAL_MS, Math.round(intervalMs * jitter));
  const name = { namespace: secret.namespace, name: externalSecret.name };
  const observed = await observe(() => context.get(ExternalSecrets, name, { pollIntervalMs }));
  if (observed.type !== 'kindMissing') return observed;
  const servedVersion = await olderVersion(name, context);
  return servedVersion === undefined ? observed : { ...observed, servedVersion };
}

/** The API version that a too old release of External Secrets serves; undefined when the cluster serves none. */
async function olderVersion(name: ObjectName, context: ReconcileContext): Promise<string | undefined> {
  for (const older of OLDER_EXTERNAL_SECRETS) {
    const { type } = await observe(() => context.getAgain(older, name));
    if (type === 'found' || type === 'absent') return older.version;
  }
  return undefined;
}
