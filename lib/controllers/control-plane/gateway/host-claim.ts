import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Gateways, GrpcRoutes } from '../kinds.ts';
import { GATEWAY_NAME, gatewayNamespace, isGatewayNamespace } from '../names.ts';
import { type GatewayPermissions, mayHaveHost } from './permissions.ts';

export type HostClaim =
  /** No route of another Gateway has the host, and no older Gateway that may have it asks for it. */
  | { readonly type: 'held' }
  | { readonly type: 'not-permitted' }
  /** An older Gateway may have the host, and asks for it. */
  | { readonly type: 'conflict' }
  /** A route of another Gateway still has the host. */
  | { readonly type: 'awaited' };

/** What the specifications of all Gateways say, whatever routes there are. */
export type AskedClaim = Exclude<HostClaim, { type: 'awaited' }>;

const OUR_LABEL = `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;

/**
 * Whether a Gateway holds the host that it asks for. Of those that may have it the one with the older creationTimestamp, then
 * the smaller UID, does. The lists are read through the context, so that the next one is woken when the holder goes.
 * @param hasHost its own route has the host: what other routes have decides nothing then, and need not wake it.
 */
export async function claimHost(
  gateway: KubeObject,
  host: string,
  hasHost: boolean,
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<HostClaim> {
  const claim = await claimAmongGateways(gateway, host, permissions, context);
  if (claim.type !== 'held' || hasHost) return claim;
  return (await otherRouteHas(host, gateway, context)) ? { type: 'awaited' } : claim;
}

/** The part of `claimHost` that needs no look at routes. */
export async function claimAmongGateways(
  { metadata }: KubeObject,
  host: string,
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<AskedClaim> {
  if (!mayHaveHost(metadata.namespace ?? '', host, permissions)) return { type: 'not-permitted' };
  const gateways = await context.list(Gateways, { namespace: '' });
  const others = gateways.filter((other) => other.metadata.uid !== metadata.uid && askedHost(other) === host);
  if (others.some((other) => isRival(other, host, permissions) && isBefore(other.metadata, metadata))) {
    return { type: 'conflict' };
  }
  return { type: 'held' };
}

/** A route keeps its old host as long as its change is refused, so what its Gateway asks for now says nothing. */
async function otherRouteHas(host: string, { metadata }: KubeObject, context: ReconcileContext): Promise<boolean> {
  const routes = await context.list(GrpcRoutes, { namespace: '', labelSelector: OUR_LABEL });
  const own = gatewayNamespace(metadata.uid);
  return routes.some(
    (route) => isRouteOfGateway(route) && route.metadata.namespace !== own && routeHosts(route).includes(host),
  );
}

/** By its place: only somebody with rights in the whole cluster makes such a namespace, while labels can be copied. */
function isRouteOfGateway({ metadata }: KubeObject): boolean {
  return metadata.name === GATEWAY_NAME && isGatewayNamespace(metadata.namespace ?? '');
}

/** The host of the route that a Gateway asks for, whether or not the rest of its specification is valid. */
function askedHost({ spec }: KubeObject): string | undefined {
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
