import type { Controller } from '../../lib/core/controller.ts';
import { formatDuration } from '../../lib/core/duration.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../lib/core/installation.ts';
import type { KubeObject, ObjectName } from '../../lib/core/kube-object.ts';
import { kindId, Leases, type ResourceType } from '../../lib/core/resource-type.ts';
import { readLease } from '../../lib/engine/deployment-lease/lease-record.ts';
import { removeFinalizerPatch } from '../../lib/engine/pass/finalizer.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';
import { SYSTEM_NAMESPACE } from './system-namespace.ts';

const FIELD_MANAGER = 'evenkeel-uninstall';
/** How often a finalizer is tried whose object changes meanwhile. */
const MAX_ATTEMPTS = 5;

export interface LeaveOptions {
  /** Finalizers go although what they protect was not cleaned up. */
  readonly forgoCleanup: boolean;
  readonly dryRun: boolean;
}

export interface LeaveReport {
  /** Each as `kind namespace/name`. With dryRun: what would be removed. */
  readonly finalizersRemoved: readonly string[];
  /** Objects that keep our finalizer, since their cleanup is neither done nor forgone. */
  readonly finalizersKept: readonly string[];
  readonly leasesRemoved: readonly string[];
  /** What stays in the cluster, by kind, with how many there are. */
  readonly left: readonly { readonly kind: string; readonly count: number; readonly what: 'resources' | 'owned' }[];
}

/**
 * Takes out of a cluster what only makes sense while evenkeel runs: its finalizers, where that is allowed, and its own
 * Leases. Everything else stays as it is.
 * @param onProgress told how many objects were looked at.
 */
export async function leaveCluster(
  api: ClusterApi,
  registry: Registry,
  options: LeaveOptions,
  clock: Clock,
  onProgress: (looked: number) => void,
): Promise<LeaveReport> {
  if (!options.dryRun) await assertNotDriven(api, registry, clock);
  const finalizersRemoved: string[] = [];
  const finalizersKept: string[] = [];
  const left: { kind: string; count: number; what: 'resources' | 'owned' }[] = [];
  let looked = 0;
  for (const controller of registry.controllers) {
    let count = 0;
    for await (const object of allObjects(api, controller.type)) {
      count += 1;
      onProgress(++looked);
      const { finalizer } = controller;
      if (finalizer === undefined || !object.metadata.finalizers?.includes(finalizer)) continue;
      const name = `${controller.type.kind} ${shownName(object)}`;
      if (!options.forgoCleanup) finalizersKept.push(name);
      else if (options.dryRun || (await removeFinalizer(api, controller, object))) finalizersRemoved.push(name);
    }
    if (count > 0) left.push({ kind: kindId(controller.type), count, what: 'resources' });
  }
  for (const type of ownedTypes(registry)) {
    let count = 0;
    for await (const _ of allObjects(api, type, `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`)) {
      count += 1;
      onProgress(++looked);
    }
    if (count > 0) left.push({ kind: kindId(type), count, what: 'owned' });
  }
  // The Leases go last: while a finalizer is left, they still tell which deployment is at home here.
  const leasesRemoved = finalizersKept.length > 0 ? [] : await removeLeases(api, options);
  return { finalizersRemoved, finalizersKept, leasesRemoved, left };
}

/** @throws EvenkeelError STILL_DRIVEN */
async function assertNotDriven(api: ClusterApi, registry: Registry, clock: Clock): Promise<void> {
  for (const group of registry.groups()) {
    const lease = await readIfThere(api, Leases, { namespace: SYSTEM_NAMESPACE, name: `evenkeel-${group}` }, false);
    if (lease === undefined) continue;
    const record = readLease(lease);
    const hasEnded =
      record.renewedAtMs !== undefined &&
      clock.now() - record.renewedAtMs > (record.durationMs ?? Number.POSITIVE_INFINITY);
    if (record.holder === '' || hasEnded) continue;
    throw new EvenkeelError(
      'STILL_DRIVEN',
      `controller group ${group} is driven by deployment ${record.holder}, which would put its finalizers back. Stop it first; one that was killed is taken for gone ${formatDuration(record.durationMs ?? 0)} after it was last seen.`,
      { data: { group, holder: record.holder } },
    );
  }
}

/** @returns whether it is gone by our doing; an object that vanished meanwhile took it along. */
async function removeFinalizer(api: ClusterApi, controller: Controller, object: KubeObject): Promise<boolean> {
  const { type, finalizer = '' } = controller;
  const name: ObjectName = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
  let current = object;
  for (let attempt = 1; ; attempt++) {
    try {
      const patch = removeFinalizerPatch(current, finalizer);
      await api.patch(type, name, { type: 'json', patch }, { fieldManager: FIELD_MANAGER });
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      // A failed test of a JSON patch is answered as Invalid.
      if (!isApiError(error, 'Conflict', 'Invalid') || attempt >= MAX_ATTEMPTS) throw error;
    }
    const again = await readIfThere(api, type, name);
    if (again?.metadata.uid !== object.metadata.uid || !again.metadata.finalizers?.includes(finalizer)) return false;
    current = again;
  }
}

async function readIfThere(
  api: ClusterApi,
  type: ResourceType,
  name: ObjectName,
  metadataOnly = true,
): Promise<KubeObject | undefined> {
  try {
    return await api.get(type, name, { metadataOnly });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function removeLeases(api: ClusterApi, { dryRun }: LeaveOptions): Promise<string[]> {
  const removed: string[] = [];
  for await (const lease of allObjects(api, Leases, undefined, SYSTEM_NAMESPACE)) {
    if (!lease.metadata.name.startsWith('evenkeel-')) continue;
    const name = { namespace: SYSTEM_NAMESPACE, name: lease.metadata.name };
    if (!dryRun) await deleteLease(api, name, lease.metadata.uid);
    removed.push(`${name.namespace}/${name.name}`);
  }
  return removed;
}

async function deleteLease(api: ClusterApi, name: ObjectName, uid: string): Promise<void> {
  try {
    await api.delete(Leases, name, { preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** A kind that is not served has no objects. */
async function* allObjects(
  api: ClusterApi,
  type: ResourceType,
  labelSelector?: string,
  namespace?: string,
): AsyncGenerator<KubeObject> {
  let continueToken: string | undefined;
  do {
    try {
      const page = await api.list(type, {
        metadataOnly: true,
        ...(labelSelector !== undefined && { labelSelector }),
        ...(namespace !== undefined && { namespace }),
        ...(continueToken !== undefined && { continueToken }),
      });
      yield* page.items;
      continueToken = page.continueToken;
    } catch (error) {
      if (isApiError(error, 'KindMissing')) return;
      throw error;
    }
  } while (continueToken !== undefined);
}

function ownedTypes(registry: Registry): ResourceType[] {
  const types = registry.controllers.flatMap(({ owns }) => owns).map((type) => [kindId(type), type] as const);
  return [...new Map(types).values()];
}

function shownName({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}
