import { EvenkeelError } from '../../core/errors.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kubeMicroTime } from '../../core/micro-time.ts';
import { apiVersion, Leases } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { DeploymentConflictError } from './deployment-error.ts';
import { type DeploymentTimings, deploymentTimings } from './deployment-timings.ts';
import { type LeaseRecord, readLease, TAKEN_FROM_ANNOTATION } from './lease-record.ts';

const FIELD_MANAGER = 'evenkeel-deployment';

/** Between reading the Lease and writing it, another deployment may write: how often that is followed. */
const MAX_ROUNDS = 5;

export interface DeploymentLeaseOptions {
  readonly api: ClusterApi;
  /** The cluster's name in the installation, for messages. */
  readonly cluster: string;
  /** The controller group. */
  readonly group: string;
  /** Identifies this deployment among all that might drive the cluster, e.g. its table's ARN. Stable across restarts. */
  readonly deployment: string;
  /** Where the Lease is kept. It must exist. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly timings?: DeploymentTimings;
}

export interface DeploymentClaim {
  /** Epoch ms; no pass of the group may begin before. */
  readonly readyAtMs: number;
  /** The deployment that it was taken from, '' when it was free. */
  readonly takenFrom: string;
}

/**
 * Makes this deployment the one that drives a controller group of a cluster, or keeps it so. A Lease in the
 * cluster, `evenkeel-<group>`, names the holder; every write is conditional on the resourceVersion that was read, so of
 * two deployments one wins. Ours is renewed when that is due and costs one GET otherwise (I5).
 *
 * A Lease that somebody else holds is refused, unless it was not renewed for its duration or `takeOver` is set. Then the
 * old deployment finds itself replaced at its next verification (see DeploymentTimings), and ours must not begin a pass
 * before `readyAtMs`. A Lease that was released, or never held, is ready at once (unless a handover was under way).
 *
 * @throws DeploymentConflictError naming the holder and since when; EvenkeelError DEPLOYMENT_NAMESPACE when the namespace
 * does not exist; ApiError.
 */
export async function claimDeployment(
  options: DeploymentLeaseOptions & { takeOver?: boolean; signal?: AbortSignal },
): Promise<DeploymentClaim> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const claim = await tryClaim(options);
    if (claim !== undefined) return claim;
  }
  const { cluster, group } = options;
  throw new EvenkeelError(
    'DEPLOYMENT_CONTENDED',
    `the Lease of controller group ${group} in cluster ${cluster} changed ${MAX_ROUNDS} times while it was claimed. Two deployments compete for it: stop one of them.`,
    { data: { cluster, group } },
  );
}

/** Gives the Lease back, if it is ours, so that the next deployment need not wait. Only once no pass runs any more. */
export async function releaseDeployment(options: DeploymentLeaseOptions & { signal?: AbortSignal }): Promise<void> {
  const lease = await getLease(options);
  if (lease === undefined || readLease(lease).holder !== options.deployment) return;
  await write(options, lease, { spec: { holderIdentity: null } });
}

/** Undefined when the Lease changed meanwhile. */
async function tryClaim(
  options: DeploymentLeaseOptions & { takeOver?: boolean; signal?: AbortSignal },
): Promise<DeploymentClaim | undefined> {
  const { deployment, clock, takeOver = false, timings = deploymentTimings() } = options;
  const lease = await getLease(options);
  const nowMs = clock.now();
  if (lease === undefined) return await create(options, timings, nowMs);

  const record = readLease(lease);
  const { holder, renewedAtMs, durationMs, transitions } = record;
  if (holder === deployment) {
    const isDue = renewedAtMs === undefined || nowMs - renewedAtMs >= timings.renewEveryMs;
    if (isDue && !(await write(options, lease, { spec: { renewTime: kubeMicroTime(nowMs) } }))) return undefined;
    return {
      readyAtMs: readyAtMs(record.takenFrom, record.acquiredAtMs ?? nowMs, timings),
      takenFrom: record.takenFrom,
    };
  }
  // Unreadable times prove nothing: then only a person may decide.
  const hasEnded = renewedAtMs !== undefined && nowMs - renewedAtMs > (durationMs ?? timings.durationMs);
  if (holder !== '' && !hasEnded && !takeOver) throw new DeploymentConflictError(options, record);
  const before = holder === '' ? unfinishedHandover(record, timings, nowMs) : holder;
  const taken = await write(options, lease, {
    metadata: { annotations: { [TAKEN_FROM_ANNOTATION]: before === '' ? null : before } },
    spec: { ...held(deployment, timings, nowMs), leaseTransitions: transitions + 1 },
  });
  return taken ? { readyAtMs: readyAtMs(before, nowMs, timings), takenFrom: before } : undefined;
}

/** A Lease that was taken over and given back at once: the deployment before that may still be at it. */
function unfinishedHandover(
  { takenFrom, acquiredAtMs = 0 }: LeaseRecord,
  timings: DeploymentTimings,
  nowMs: number,
): string {
  return readyAtMs(takenFrom, acquiredAtMs, timings) > nowMs ? takenFrom : '';
}

function readyAtMs(takenFrom: string, acquiredAtMs: number, { handoverMs }: DeploymentTimings): number {
  return takenFrom === '' ? acquiredAtMs : acquiredAtMs + handoverMs;
}

function held(deployment: string, { durationMs }: DeploymentTimings, nowMs: number): JsonObject {
  return {
    holderIdentity: deployment,
    acquireTime: kubeMicroTime(nowMs),
    renewTime: kubeMicroTime(nowMs),
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
  };
}

function leaseName({ namespace, group }: DeploymentLeaseOptions): ObjectName {
  return { namespace, name: `evenkeel-${group}` };
}

async function getLease(options: DeploymentLeaseOptions & { signal?: AbortSignal }): Promise<KubeObject | undefined> {
  try {
    return await options.api.get(Leases, leaseName(options), signalOf(options));
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function create(
  options: DeploymentLeaseOptions & { signal?: AbortSignal },
  timings: DeploymentTimings,
  nowMs: number,
): Promise<DeploymentClaim | undefined> {
  const { api, cluster, deployment, namespace } = options;
  const lease = {
    apiVersion: apiVersion(Leases),
    kind: Leases.kind,
    metadata: leaseName(options),
    spec: { ...held(deployment, timings, nowMs), leaseTransitions: 0 },
  };
  try {
    await api.create(Leases, lease, { fieldManager: FIELD_MANAGER, ...signalOf(options) });
    return { readyAtMs: nowMs, takenFrom: '' };
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return undefined;
    if (!isApiError(error, 'NotFound')) throw error;
    throw new EvenkeelError(
      'DEPLOYMENT_NAMESPACE',
      `namespace ${namespace} does not exist in cluster ${cluster}. Create it: the Lease that names the deployment is kept there.`,
      { cause: error, data: { cluster, namespace } },
    );
  }
}

/** @returns false when the Lease is not the one that was read any more. */
async function write(
  options: DeploymentLeaseOptions & { signal?: AbortSignal },
  lease: KubeObject,
  patch: { metadata?: JsonObject; spec: JsonObject },
): Promise<boolean> {
  const { uid, resourceVersion } = lease.metadata;
  const guarded = { ...patch, metadata: { ...patch.metadata, uid, resourceVersion } };
  try {
    const writeOptions = { fieldManager: FIELD_MANAGER, ...signalOf(options) };
    await options.api.patch(Leases, leaseName(options), { type: 'merge', patch: guarded }, writeOptions);
    return true;
  } catch (error) {
    if (isApiError(error, 'Conflict', 'NotFound')) return false;
    throw error;
  }
}

function signalOf({ signal }: { signal?: AbortSignal }): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
