import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Gateways, GrpcRoutes } from '../kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../names.ts';
import { type GatewayPermissions, mayHaveHost } from './permissions.ts';

export type HostClaim =
  /** No route of another Gateway has the host, and none that may have it was there before. */
  | { readonly type: 'held' }
  | { readonly type: 'not-permitted' }
  /** A Gateway that was there before may have the host, and asks for it. */
  | { readonly type: 'conflict' }
  /** Another Gateway has not given its route up yet. */
  | { readonly type: 'awaited' };

/**
 * Whether a Gateway holds the host that it asks for. Of those that may have it the one with the older creationTimestamp, then
 * the smaller UID, does. The list and the routes are read through the context, so that the next one is woken when
 * the holder goes.
 */
export async function claimHost(
  { metadata }: KubeObject,
  host: string,
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<HostClaim> {
  if (!mayHaveHost(metadata.namespace ?? '', host, permissions)) return { type: 'not-permitted' };
  const gateways = await context.list(Gateways, { namespace: '' });
  const others = gateways.filter((other) => other.metadata.uid !== metadata.uid && askedHost(other) === host);
  if (others.some((other) => isRival(other, host, permissions) && isBefore(other.metadata, metadata))) {
    return { type: 'conflict' };
  }
  for (const other of others) {
    const name = { namespace: gatewayNamespace(other.metadata.uid), name: GATEWAY_NAME };
    if (routeHosts(await context.get(GrpcRoutes, name)).includes(host)) return { type: 'awaited' };
  }
  return { type: 'held' };
}

/** The host of the route that a Gateway asks for, whether or not the rest of its specification is valid. */
export function askedHost({ spec }: KubeObject): string | undefined {
  const route = (spec as { route?: { host?: unknown; enabled?: unknown } | null } | undefined)?.route;
  return typeof route?.host === 'string' && route.enabled !== false ? route.host : undefined;
}

export function routeHosts(route: KubeObject | undefined): readonly unknown[] {
  const hostnames = (route?.spec as { hostnames?: unknown } | undefined)?.hostnames;
  return Array.isArray(hostnames) ? hostnames : [];
}

/** One that may not have the host holds it only as long as it has the route; one that is being deleted makes no new one. */
function isRival({ metadata }: KubeObject, host: string, permissions: GatewayPermissions): boolean {
  return metadata.deletionTimestamp === undefined && mayHaveHost(metadata.namespace ?? '', host, permissions);
}

function isBefore(left: KubeObject['metadata'], right: KubeObject['metadata']): boolean {
  const [leftMs, rightMs] = [left, right].map(({ creationTimestamp = '' }) => Date.parse(creationTimestamp) || 0);
  return leftMs === rightMs ? left.uid < right.uid : Number(leftMs) < Number(rightMs);
}
