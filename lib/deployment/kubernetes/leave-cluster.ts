import type { Controller } from '../../core/controller.ts';
import { formatDuration } from '../../core/duration.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { CustomResourceDefinitions, kindId, Leases, Namespaces, type ResourceType } from '../../core/resource-type.ts';
import { readLease } from '../../engine/deployment-lease/lease-record.ts';
import { removeFinalizerPatch } from '../../engine/pass/finalizer.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { SYSTEM_NAMESPACE } from './system-namespace.ts';

const OWNED = `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;
const FIELD_MANAGER = 'evenkeel-uninstall';
/** The prefix of the Lease of a group. The relay's Lease has it too, but names no deployment. */
const LEASE_PREFIX = 'evenkeel-';
const RELAY_LEASE = 'evenkeel-relay';
/**
 * A single command cannot wait for a renewal of the Lease, so it compares the Lease with the clock. This is added,
 * because the clock may be wrong.
 */
const CLOCK_WRONG_BY_MS = 10 * 60_000;
/** How often the removal of a finalizer is repeated when its object changes. */
const MAX_ATTEMPTS = 5;

export interface LeaveOptions {
  /** Remove finalizers without running cleanup. */
  readonly forgoCleanup: boolean;
  readonly dryRun: boolean;
  /** Only these controller groups leave; other groups may continue and are not touched. Default: all groups. */
  readonly groups?: readonly string[];
}

export interface LeaveReport {
  /** The reasons why nothing may be removed. Only dryRun returns them; otherwise they are thrown. */
  readonly refusals: readonly string[];
  /** Each as `kind namespace/name`. With dryRun: the ones that would be removed. */
  readonly finalizersRemoved: readonly string[];
  /** Objects that keep our finalizer, because their cleanup is neither done nor forgone. */
  readonly finalizersKept: readonly string[];
  readonly leasesRemoved: readonly string[];
  /** The CustomResourceDefinitions of ours that are in the cluster. */
  readonly definitions: readonly string[];
  /** The objects that stay in the cluster: their number, by kind. */
  readonly left: readonly { readonly kind: string; readonly count: number; readonly what: 'resources' | 'owned' }[];
}

/** Everything that any deployment of the cluster may have used. */
export interface Leaving {
  /** Of this release and of other authors; a kind may occur twice. */
  readonly controllers: readonly Controller[];
  /** The names of their CustomResourceDefinitions. */
  readonly definitions: readonly string[];
}

/**
 * Removes from a cluster what is useless without evenkeel: its finalizers, where that is permitted, and its own Leases.
 * Everything else stays as it is.
 * @param onProgress called with the number of objects that were checked.
 * @throws EvenkeelError NO_CLUSTER; STILL_DRIVEN; UNKNOWN_GROUP when the finalizers of a group are not known here.
 */
export async function leaveCluster(
  api: ClusterApi,
  { controllers: known, definitions }: Leaving,
  options: LeaveOptions,
  clock: Clock,
  onProgress: (looked: number) => void,
): Promise<LeaveReport> {
  await assertCluster(api);
  const { groups } = options;
  const controllers = known.filter(({ group }) => groups?.includes(group) ?? true);
  const leases = leavingLeases(await ownLeases(api), groups);
  const refusals = leases.flatMap((lease) => refusal(lease, controllers, clock.now()));
  const [refused] = refusals;
  if (refused !== undefined && !options.dryRun) throw refused;
  const finalizersRemoved: string[] = [];
  const finalizersKept: string[] = [];
  const left: { kind: string; count: number; what: 'resources' | 'owned' }[] = [];
  let looked = 0;
  for (const { type, finalizers, onlyManaged } of finalizersByKind(controllers)) {
    let count = 0;
    for await (const object of allObjects(api, type)) {
      if (!onlyManaged || object.metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE) count += 1;
      onProgress(++looked);
      const name = `${type.kind} ${shownName(object)}`;
      for (const finalizer of finalizers) {
        if (!object.metadata.finalizers?.includes(finalizer)) continue;
        if (!options.forgoCleanup) finalizersKept.push(name);
        else if (options.dryRun || (await removeFinalizer(api, type, finalizer, object))) finalizersRemoved.push(name);
      }
    }
    if (count > 0) left.push({ kind: kindId(type), count, what: 'resources' });
  }
  for (const type of ownedTypes(controllers)) {
    let count = 0;
    for await (const _ of allObjects(api, type, { labelSelector: OWNED })) {
      count += 1;
      onProgress(++looked);
    }
    if (count > 0) left.push({ kind: kindId(type), count, what: 'owned' });
  }
  // The Leases are removed last: while a finalizer is left, they show which deployment drives the cluster.
  const leasesRemoved = finalizersKept.length > 0 ? [] : await removeLeases(api, leases, options);
  return {
    refusals: refusals.map(({ message }) => message),
    finalizersRemoved,
    finalizersKept,
    leasesRemoved,
    definitions: await presentDefinitions(api, definitions),
    left,
  };
}

/** The Leases of the groups, then the relay's, which must be the last one to be removed. */
async function ownLeases(api: ClusterApi): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const lease of allObjects(api, Leases, { namespace: SYSTEM_NAMESPACE, metadataOnly: false })) {
    if (lease.metadata.name.startsWith(LEASE_PREFIX)) found.push(lease);
  }
  const isRelay = ({ metadata }: KubeObject) => metadata.name === RELAY_LEASE;
  return [...found.filter((lease) => !isRelay(lease)), ...found.filter(isRelay)];
}

/** The Leases to remove. The relay's Lease stays while a group stays. */
function leavingLeases(leases: readonly KubeObject[], groups: readonly string[] | undefined): readonly KubeObject[] {
  if (groups === undefined) return leases;
  const leaves = new Set(groups.map((group) => LEASE_PREFIX + group));
  const leaving = leases.filter(({ metadata }) => leaves.has(metadata.name));
  const isWhole = leases.every(({ metadata }) => leaves.has(metadata.name) || metadata.name === RELAY_LEASE);
  return isWhole ? leases : leaving;
}

/** Why a Lease prevents that we leave the cluster, for now or at all. */
function refusal(lease: KubeObject, controllers: readonly Controller[], nowMs: number): EvenkeelError[] {
  const { name } = lease.metadata;
  if (name === RELAY_LEASE) return [];
  const group = name.slice(LEASE_PREFIX.length);
  const { holder, renewedAtMs, durationMs } = readLease(lease);
  const goneAfterMs = (durationMs ?? Number.POSITIVE_INFINITY) + CLOCK_WRONG_BY_MS;
  const hasEnded = renewedAtMs !== undefined && nowMs - renewedAtMs > goneAfterMs;
  if (holder !== '' && !hasEnded) {
    return [
      new EvenkeelError(
        'STILL_DRIVEN',
        `controller group ${group} is driven by deployment ${holder}, which would add its finalizers again. Stop it first; one that was killed counts as gone ${formatDuration((durationMs ?? 0) + CLOCK_WRONG_BY_MS)} after it was last seen.`,
        { data: { group, holder } },
      ),
    ];
  }
  if (controllers.some((controller) => controller.group === group)) return [];
  const driven = holder === '' ? 'a deployment' : `deployment ${holder}`;
  return [
    new EvenkeelError(
      'UNKNOWN_GROUP',
      `controller group ${group}, by which ${driven} drove this cluster, is not known here, and neither are its finalizers: objects would keep them forever. Name the settings that the deployment ran with by --settings, and its controllers by --controllers; if they are lost, remove the finalizers by hand, then delete the Lease ${name} in ${SYSTEM_NAMESPACE}.`,
      { data: { group, holder } },
    ),
  ];
}

/** @returns true when this call removed it; false when the object vanished with it. */
async function removeFinalizer(
  api: ClusterApi,
  type: ResourceType,
  finalizer: string,
  object: KubeObject,
): Promise<boolean> {
  const name: ObjectName = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
  let current = object;
  for (let attempt = 1; ; attempt++) {
    try {
      const patch = removeFinalizerPatch(current, finalizer);
      await api.patch(type, name, { type: 'json', patch }, { fieldManager: FIELD_MANAGER });
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      // The API server answers Invalid when the test of a JSON patch fails.
      if (!isApiError(error, 'Conflict', 'Invalid') || attempt >= MAX_ATTEMPTS) throw error;
    }
    const again = await readIfThere(api, type, name);
    if (again?.metadata.uid !== object.metadata.uid || !again.metadata.finalizers?.includes(finalizer)) return false;
    current = again;
  }
}

async function readIfThere(api: ClusterApi, type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
  try {
    return await api.get(type, name, { metadataOnly: true });
  } catch (error) {
    if (isApiError(error, 'NotFound', 'KindMissing')) return undefined;
    throw error;
  }
}

async function removeLeases(
  api: ClusterApi,
  leases: readonly KubeObject[],
  { dryRun }: LeaveOptions,
): Promise<string[]> {
  const removed: string[] = [];
  for (const lease of leases) {
    if (!dryRun && !(await deleteLease(api, lease))) break;
    removed.push(`${SYSTEM_NAMESPACE}/${lease.metadata.name}`);
  }
  return removed;
}

/** @returns false when somebody took the Lease after it was read. It stays then. */
async function deleteLease(api: ClusterApi, { metadata }: KubeObject): Promise<boolean> {
  const { uid, resourceVersion } = metadata;
  try {
    const name = { namespace: SYSTEM_NAMESPACE, name: metadata.name };
    await api.delete(Leases, name, { preconditions: { uid, resourceVersion } });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return true;
    if (isApiError(error, 'Conflict')) return false;
    throw error;
  }
}

async function presentDefinitions(api: ClusterApi, names: readonly string[]): Promise<string[]> {
  const found = names.map((name) => readIfThere(api, CustomResourceDefinitions, { namespace: '', name }));
  const present = await Promise.all(found);
  return names.filter((_, index) => present[index] !== undefined);
}

/** Empty for a kind that is not served. */
async function* allObjects(
  api: ClusterApi,
  type: ResourceType,
  options: { labelSelector?: string; namespace?: string; metadataOnly?: boolean } = {},
): AsyncGenerator<KubeObject> {
  let continueToken: string | undefined;
  let limit: number | undefined;
  do {
    try {
      const page = await api.list(type, {
        metadataOnly: true,
        ...options,
        ...(limit !== undefined && { limit }),
        ...(continueToken !== undefined && { continueToken }),
      });
      yield* page.items;
      limit = page.nextLimit;
      continueToken = page.continueToken;
    } catch (error) {
      if (isApiError(error, 'KindMissing')) return;
      throw error;
    }
  } while (continueToken !== undefined);
}

interface LeftKind {
  readonly type: ResourceType;
  readonly finalizers: Set<string>;
  /** Only its objects with our label are ours. */
  readonly onlyManaged: boolean;
}

function finalizersByKind(controllers: readonly Controller[]): LeftKind[] {
  const kinds = new Map<string, LeftKind>();
  for (const { type, finalizer, onlyManaged = false } of controllers) {
    const known = kinds.get(kindId(type));
    const finalizers = known?.finalizers ?? new Set();
    if (finalizer !== undefined) finalizers.add(finalizer);
    kinds.set(kindId(type), { type, finalizers, onlyManaged: onlyManaged && (known?.onlyManaged ?? true) });
  }
  return [...kinds.values()];
}

function ownedTypes(controllers: readonly Controller[]): ResourceType[] {
  const types = controllers.flatMap(({ owns }) => owns).map((type) => [kindId(type), type] as const);
  return [...new Map(types).values()];
}

function shownName({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/**
 * Checks that the server is a cluster: every cluster has the namespace kube-system. If the server answers 404 for it,
 * the URL may be wrong. Then no other 404 proves that an object is absent.
 */
async function assertCluster(api: ClusterApi): Promise<void> {
  try {
    await api.get(Namespaces, { namespace: '', name: 'kube-system' });
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return;
    if (!isApiError(error, 'NotFound', 'KindMissing')) throw error;
    throw new EvenkeelError(
      'NO_CLUSTER',
      'the server has no namespace kube-system, so it is no Kubernetes cluster. Check the path of the server in the kubeconfig.',
      { cause: error },
    );
  }
}
