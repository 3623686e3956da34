import { isDeepStrictEqual } from 'node:util';
import type { Controller } from '../../core/controller.ts';
import type { InstallationScope } from '../../core/installation.ts';
import { apiVersion, type KindId, kindId, Leases, type ResourceType } from '../../core/resource-type.ts';
import { leaseNameOf, readLease } from '../../engine/deployment-lease/lease-record.ts';
import { type CallOptions, type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { ClusterUse } from '../../ports/cluster-use-store.ts';
import type { SchemaDigests } from '../../ports/schema-digests.ts';
import { SYSTEM_NAMESPACE } from './system-namespace.ts';

/** The parts of a use that are read from a cluster. */
export type UseRead = Pick<ClusterUse, 'finalizers' | 'leases' | 'schemas'>;

/** Whose use of a cluster is read. */
export interface UsingDeployment {
  /** As Leases name it; undefined when that is not known, and then each holder counts. */
  readonly deployment: string | undefined;
  readonly controllers: readonly Pick<Controller, 'group' | 'type' | 'finalizer'>[];
  readonly scope: Pick<InstallationScope, 'namespaces'>;
}

/**
 * Reads what a cluster has of a deployment. It lists each kind with a finalizer until it finds an object that has it, so for a
 * cluster in use it reads a page of each kind. What the identity may not read, and what the deployment does not install any more,
 * stays as it was recorded: a doubt never shows a cluster as free.
 * @throws ApiError when the cluster does not answer.
 */
export async function readClusterUse(
  { api, schemas }: { readonly api: ClusterApi; readonly schemas: SchemaDigests },
  { deployment, controllers, scope }: UsingDeployment,
  recorded: UseRead | undefined,
  { signal }: CallOptions = {},
): Promise<UseRead> {
  const options = signal === undefined ? {} : { signal };
  const finalizers: Record<KindId, readonly string[]> = { ...recorded?.finalizers };
  for (const [type, names] of finalizersOf(controllers)) {
    const kind = kindId(type);
    const places = scope.namespaces === undefined || !type.namespaced ? [''] : scope.namespaces;
    const before = recorded?.finalizers[kind] ?? [];
    const found = await readOr(() => usedFinalizers(api, type, names, places, options), before, []);
    delete finalizers[kind];
    if (found.length > 0) finalizers[kind] = found;
  }
  const leases = new Set(recorded?.leases);
  for (const name of new Set([...controllers.map(({ group }) => leaseNameOf(group)), ...leases])) {
    const isOurs = await readOr(() => isHeldBy(api, name, deployment, options), leases.has(name), false);
    if (isOurs) leases.add(name);
    else leases.delete(name);
  }
  const digests = await schemas.digests(options);
  const versions = [...new Set(controllers.map(({ type }) => apiVersion(type)))];
  const known = versions.flatMap((version) => {
    const digest = digests.get(version);
    return digest === undefined ? [] : [[version, digest] as const];
  });
  return { finalizers: sorted(finalizers), leases: [...leases].sort(), schemas: sorted(Object.fromEntries(known)) };
}

/** Whether a cluster has something of a deployment that nobody could remove after the deployment is gone. */
export function isInUse({ finalizers, leases }: Pick<UseRead, 'finalizers' | 'leases'>): boolean {
  return leases.length > 0 || Object.keys(finalizers).length > 0;
}

/** `finalizers of gateways.example.com, and the Lease evenkeel-edge` */
export function useText({ finalizers, leases }: Pick<UseRead, 'finalizers' | 'leases'>): string {
  const kinds = Object.keys(finalizers).sort();
  return [
    ...(kinds.length === 0 ? [] : [`finalizers of ${kinds.join(', ')}`]),
    ...(leases.length === 0 ? [] : [`the ${leases.length === 1 ? 'Lease' : 'Leases'} ${leases.join(', ')}`]),
  ].join(', and ');
}

/** Whether two records show the same; since when does not count. */
export function isSameUse(one: Omit<ClusterUse, 'sinceMs'>, other: ClusterUse | undefined): boolean {
  if (other === undefined) return false;
  const { sinceMs: _sinceMs, ...rest } = other;
  return isDeepStrictEqual(rest, one);
}

function finalizersOf(controllers: UsingDeployment['controllers']): Map<ResourceType, readonly string[]> {
  const kinds = new Map<KindId, { readonly type: ResourceType; readonly names: Set<string> }>();
  for (const { type, finalizer } of controllers) {
    if (finalizer === undefined) continue;
    const known = kinds.get(kindId(type)) ?? { type, names: new Set() };
    known.names.add(finalizer);
    kinds.set(kindId(type), known);
  }
  return new Map([...kinds.values()].map(({ type, names }) => [type, [...names].sort()]));
}

/** Those of the finalizers that an object has. It stops at the page that shows the last of them. */
async function usedFinalizers(
  api: ClusterApi,
  type: ResourceType,
  names: readonly string[],
  namespaces: readonly string[],
  options: CallOptions,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const namespace of namespaces) {
    let next: { continueToken?: string; limit?: number } | undefined = {};
    while (next !== undefined && found.size < names.length) {
      const place = namespace === '' ? {} : { namespace };
      const page = await api.list(type, { metadataOnly: true, ...place, ...next, ...options });
      for (const { metadata } of page.items) {
        for (const name of names) if (metadata.finalizers?.includes(name)) found.add(name);
      }
      const { continueToken, nextLimit } = page;
      next =
        continueToken === undefined
          ? undefined
          : { continueToken, ...(nextLimit !== undefined && { limit: nextLimit }) };
    }
  }
  return [...found].sort();
}

async function isHeldBy(
  api: ClusterApi,
  name: string,
  deployment: string | undefined,
  options: CallOptions,
): Promise<boolean> {
  const { holder } = readLease(await api.get(Leases, { namespace: SYSTEM_NAMESPACE, name }, options));
  return deployment === undefined ? holder !== '' : holder === deployment;
}

/** @returns `recorded` for what the identity may not read, and `absent` for what is not there. @throws other ApiErrors */
async function readOr<Found>(read: () => Promise<Found>, recorded: Found, absent: Found): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return recorded;
    if (isApiError(error, 'NotFound', 'KindMissing')) return absent;
    throw error;
  }
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
}
