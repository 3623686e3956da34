import { EvenkeelError } from '../../core/errors.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kubeMicroTime } from '../../core/micro-time.ts';
import { apiVersion, Leases } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { DeploymentConflictError } from './deployment-error.ts';
import { type DeploymentTimings, deploymentTimings } from './deployment-timings.ts';
import { DeploymentWatch } from './deployment-watch.ts';
import { type LeaseRecord, leaseNameOf, readLease, TAKEN_FROM_ANNOTATION } from './lease-record.ts';

const FIELD_MANAGER = 'evenkeel-deployment';

/** How often the claim is repeated when another deployment writes between our read and our write. */
const MAX_ROUNDS = 5;

export interface DeploymentLeaseOptions {
  readonly api: ClusterApi;
  /** The cluster's name in the installation, for messages. */
  readonly cluster: string;
  /** The controller group. */
  readonly group: string;
  /**
   * Identifies this deployment among all that may drive the cluster, e.g. by the ARN of its table. The same after a
   * restart.
   */
  readonly deployment: string;
  /** The namespace of the Lease. It must exist. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly timings?: DeploymentTimings;
  /** What this process saw of the Lease before. A process that claims only once has no history. */
  readonly watch?: DeploymentWatch;
}

type ClaimOptions = DeploymentLeaseOptions & { takeOver?: boolean; signal?: AbortSignal };

export interface DeploymentClaim {
  /** On this process's monotonic clock. No pass of the group may start before. */
  readonly readyAtMonotonicMs: number;
  /** The deployment that had the Lease before; empty when it was free. */
  readonly takenFrom: string;
}

/**
 * Makes this deployment drive a controller group of a cluster, or confirms that it does. A Lease in the
 * cluster, `evenkeel-<group>`, names the holder. Every write has the resourceVersion that was read as a precondition,
 * so only one of two deployments succeeds. Our own Lease is renewed when that is due; otherwise it costs one GET (I5).
 * A Lease of another holder is refused, unless this process saw it unchanged for its duration plus the clock skew, or
 * `takeOver` is set. After a takeover, the old deployment detects it at its next verification (see DeploymentTimings),
 * and ours must not start a pass before `readyAtMonotonicMs`. The Lease names the previous deployment until a process
 * of ours has waited that long. A Lease that was free is ready at once, however young it is: no wall clock decides this
 * (R-1.29).
 * @throws DeploymentConflictError that names the holder and since when; EvenkeelError DEPLOYMENT_NAMESPACE when the
 * namespace does not exist; ApiError.
 */
export async function claimDeployment(options: ClaimOptions): Promise<DeploymentClaim> {
  const { watch = new DeploymentWatch() } = options;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const claim = await tryClaim(options, watch);
    if (claim !== undefined) return claim;
  }
  const { cluster, group } = options;
  throw new EvenkeelError(
    'DEPLOYMENT_CONTENDED',
    `the Lease of controller group ${group} in cluster ${cluster} changed ${MAX_ROUNDS} times while it was claimed. Two deployments compete for it: stop one of them.`,
    { data: { cluster, group } },
  );
}

/** Frees the Lease, if it is ours, so that the next deployment need not wait. Call it only after the last pass. */
export async function releaseDeployment(options: DeploymentLeaseOptions & { signal?: AbortSignal }): Promise<void> {
  const lease = await getLease(options);
  if (lease === undefined || readLease(lease).holder !== options.deployment) return;
  await write(options, lease, { spec: { holderIdentity: null } });
}

/** Whether any deployment has ever claimed the controller group in this cluster. @throws ApiError */
export async function hasLease(options: DeploymentLeaseOptions & { signal?: AbortSignal }): Promise<boolean> {
  return (await getLease(options)) !== undefined;
}

/** Undefined when the Lease changed in between. */
async function tryClaim(options: ClaimOptions, watch: DeploymentWatch): Promise<DeploymentClaim | undefined> {
  const { deployment, clock, takeOver = false, timings = deploymentTimings() } = options;
  const askedAtMs = clock.monotonic();
  const lease = await getLease(options);
  if (lease === undefined) return await create(options, timings);

  const record = readLease(lease);
  const unchangedMs = watch.unchangedMs(lease, askedAtMs, clock.monotonic());
  const leftMs = handoverLeftMs(record, timings, watch, clock);
  if (record.holder === deployment) return await keep(options, lease, { record, unchangedMs, leftMs });

  const hasEnded = unchangedMs > (record.durationMs ?? timings.durationMs) + timings.clockSkewMs;
  if (record.holder !== '' && !hasEnded && !takeOver) throw new DeploymentConflictError(options, record);
  // The Lease was taken over and freed at once: passes of the deployment before that may still run.
  const unfinished = leftMs > 0 ? record.takenFrom : '';
  const takenFrom = record.holder === '' ? unfinished : record.holder;
  const transitions = record.transitions + 1;
  const taken = await write(options, lease, {
    metadata: { annotations: { [TAKEN_FROM_ANNOTATION]: takenFrom === '' ? null : takenFrom } },
    spec: { ...held(deployment, timings, clock.now()), leaseTransitions: transitions },
  });
  if (!taken) return undefined;
  return claimOf(takenFrom, handoverLeftMs({ takenFrom, transitions }, timings, watch, clock), clock);
}

/**
 * Renews our Lease when that is due. Removes the name of the previous deployment when the passes of that deployment
 * have ended.
 */
async function keep(
  options: ClaimOptions,
  lease: KubeObject,
  { record, unchangedMs, leftMs }: { record: LeaseRecord; unchangedMs: number; leftMs: number },
): Promise<DeploymentClaim | undefined> {
  const { clock, timings = deploymentTimings() } = options;
  const isOver = record.takenFrom !== '' && leftMs <= 0;
  const nowMs = clock.now();
  if (isOver || isRenewalDue(record, unchangedMs, timings, nowMs)) {
    const metadata = isOver ? { metadata: { annotations: { [TAKEN_FROM_ANNOTATION]: null } } } : {};
    if (!(await write(options, lease, { ...metadata, spec: { renewTime: kubeMicroTime(nowMs) } }))) return undefined;
  }
  return claimOf(isOver ? '' : record.takenFrom, leftMs, clock);
}

/**
 * Decided by the wall clock, because a process that claims once has nothing else. A time that only a wrong clock can
 * write proves nothing.
 */
function isRenewalDue(
  { renewedAtMs }: LeaseRecord,
  unchangedMs: number,
  { renewEveryMs, clockSkewMs }: DeploymentTimings,
  nowMs: number,
): boolean {
  if (renewedAtMs === undefined || renewedAtMs > nowMs + clockSkewMs) return true;
  return nowMs - renewedAtMs >= renewEveryMs || unchangedMs >= renewEveryMs;
}

/** How long passes of the previous deployment may still run, as far as this process knows. */
function handoverLeftMs(
  { takenFrom, transitions }: Pick<LeaseRecord, 'takenFrom' | 'transitions'>,
  { handoverMs }: DeploymentTimings,
  watch: DeploymentWatch,
  clock: Clock,
): number {
  return takenFrom === '' ? 0 : handoverMs - watch.handoverMs(transitions, takenFrom, clock.monotonic());
}

function claimOf(takenFrom: string, leftMs: number, clock: Clock): DeploymentClaim {
  return { readyAtMonotonicMs: clock.monotonic() + Math.max(0, leftMs), takenFrom };
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
  return { namespace, name: leaseNameOf(group) };
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
): Promise<DeploymentClaim | undefined> {
  const { api, cluster, deployment, namespace, clock } = options;
  const lease = {
    apiVersion: apiVersion(Leases),
    kind: Leases.kind,
    metadata: leaseName(options),
    spec: { ...held(deployment, timings, clock.now()), leaseTransitions: 0 },
  };
  try {
    await api.create(Leases, lease, { fieldManager: FIELD_MANAGER, ...signalOf(options) });
    return claimOf('', 0, clock);
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

/** @returns false when the Lease has changed since it was read. */
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
