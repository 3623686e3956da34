import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { provesAbsence } from '../kind-absence.ts';
import { Gateways, GrpcRoutes } from '../kinds.ts';
import { GATEWAY_NAME, gatewayNamespace, isGatewayNamespace } from '../names.ts';
import { type GatewayPermissions, mayHaveHost } from './permissions.ts';

export type HostClaim =
  /** No route of another Gateway has the host, and no older Gateway with the permission asks for it. */
  | { readonly type: 'held' }
  | { readonly type: 'not-permitted' }
  /** An older Gateway with the permission asks for the host. */
  | { readonly type: 'conflict'; readonly holder: GatewayName }
  /** A route of another Gateway still has the host. The holder is unknown when that Gateway is gone. */
  | { readonly type: 'awaited'; readonly holder?: GatewayName | undefined };

export interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

/** The claim by the specifications of all Gateways, without a look at routes. */
export type AskedClaim = Exclude<HostClaim, { type: 'awaited' }>;

const OUR_LABEL = `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;

/**
 * Whether a Gateway holds the host that it asks for. Of the Gateways with the permission, the one with the older
 * creationTimestamp holds it; if these are equal, the one with the smaller UID. The lists are read through the
 * context, so that the next Gateway gets a pass when the holder is gone.
 * @param hasHost whether its own route has the host. Then the routes of others do not matter, and their changes need
 * not start a pass.
 */
export async function claimHost(
  gateway: KubeObject,
  host: string,
  hasHost: boolean,
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<HostClaim> {
  const gateways = await allGateways(context);
  const claim = claimAmong(gateways, gateway, host, permissions);
  if (claim.type !== 'held' || hasHost) return claim;
  const route = routeOfAnother(await allRoutes(context), host, gateway);
  if (route === undefined) return claim;
  const holder = gateways.find(({ metadata }) => gatewayNamespace(metadata.uid) === route.metadata.namespace);
  return { type: 'awaited', holder: holder && nameOf(holder) };
}

/** The part of `claimHost` that needs no list of routes. */
export async function claimAmongGateways(
  gateway: KubeObject,
  host: string,
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<AskedClaim> {
  return claimAmong(await allGateways(context), gateway, host, permissions);
}

/**
 * The hosts that lead, or will lead, to an older Gateway: a route of that Gateway has the host, or it asks for the host
 * and may have it. A route counts also when the settings do not permit it any more, because it stays.
 */
export async function hostsOfOlderGateways(
  gateway: KubeObject,
  hosts: readonly string[],
  permissions: GatewayPermissions,
  context: ReconcileContext,
): Promise<string[]> {
  if (hosts.length === 0) return [];
  const gateways = await allGateways(context);
  const routes = await routesOrNone(context);
  // A younger Gateway never takes a host away. A route without a Gateway counts, because its Gateway may have been
  // older.
  const younger = gateways.filter(({ metadata }) => !isBefore(metadata, gateway.metadata));
  const namespaces = new Set(younger.map(({ metadata }) => gatewayNamespace(metadata.uid)));
  const standing = routes.filter(({ metadata }) => !namespaces.has(metadata.namespace ?? ''));
  return hosts.filter(
    (host) =>
      olderHolder(gateways, gateway, host, permissions) !== undefined ||
      routeOfAnother(standing, host, gateway) !== undefined,
  );
}

async function allGateways(context: ReconcileContext): Promise<KubeObject[]> {
  return await context.list(Gateways, { namespace: '' });
}

function claimAmong(
  gateways: readonly KubeObject[],
  gateway: KubeObject,
  host: string,
  permissions: GatewayPermissions,
): AskedClaim {
  if (!mayHaveHost(gateway.metadata.namespace ?? '', host, permissions)) return { type: 'not-permitted' };
  const holder = olderHolder(gateways, gateway, host, permissions);
  return holder === undefined ? { type: 'held' } : { type: 'conflict', holder: nameOf(holder) };
}

function olderHolder(
  gateways: readonly KubeObject[],
  { metadata }: KubeObject,
  host: string,
  permissions: GatewayPermissions,
): KubeObject | undefined {
  const others = gateways.filter((other) => other.metadata.uid !== metadata.uid && askedHost(other) === host);
  return others.find((other) => isRival(other, host, permissions) && isBefore(other.metadata, metadata));
}

function nameOf({ metadata: { namespace = '', name } }: KubeObject): GatewayName {
  return { namespace, name };
}

async function allRoutes(context: ReconcileContext): Promise<KubeObject[]> {
  const routes = await context.list(GrpcRoutes, { namespace: '', labelSelector: OUR_LABEL });
  return routes.filter(isRouteOfGateway);
}

/** A Gateway that asks for no route works without the Gateway API installed. */
async function routesOrNone(context: ReconcileContext): Promise<KubeObject[]> {
  try {
    return await allRoutes(context);
  } catch (error) {
    if (await provesAbsence(error, GrpcRoutes, context)) return [];
    throw error;
  }
}

/**
 * Looks at the hosts of the route itself, and not of its Gateway's spec: a route keeps its old host while its change is
 * refused.
 */
function routeOfAnother(routes: readonly KubeObject[], host: string, { metadata }: KubeObject): KubeObject | undefined {
  const own = gatewayNamespace(metadata.uid);
  return routes.find((route) => route.metadata.namespace !== own && routeHosts(route).includes(host));
}

/**
 * Checks the namespace, because only an administrator of the cluster can create one with such a name. Labels can be
 * copied.
 */
function isRouteOfGateway({ metadata }: KubeObject): boolean {
  return metadata.name === GATEWAY_NAME && isGatewayNamespace(metadata.namespace ?? '');
}

/** The host of the route in the spec, whether or not the rest of the spec is valid. */
function askedHost({ spec }: KubeObject): string | undefined {
  const route = (spec as { route?: { host?: unknown; enabled?: unknown } | null } | undefined)?.route;
  return typeof route?.host === 'string' && route.enabled !== false ? route.host : undefined;
}

export function routeHosts(route: KubeObject | undefined): readonly unknown[] {
  const hostnames = (route?.spec as { hostnames?: unknown } | undefined)?.hostnames;
  return Array.isArray(hostnames) ? hostnames : [];
}

/**
 * Whether another Gateway may get a route with the host. One without the permission only keeps an existing route. One
 * that is being deleted creates no route.
 */
function isRival({ metadata }: KubeObject, host: string, permissions: GatewayPermissions): boolean {
  return metadata.deletionTimestamp === undefined && mayHaveHost(metadata.namespace ?? '', host, permissions);
}

function isBefore(left: KubeObject['metadata'], right: KubeObject['metadata']): boolean {
  const [leftMs, rightMs] = [left, right].map(({ creationTimestamp = '' }) => Date.parse(creationTimestamp) || 0);
  return leftMs === rightMs ? left.uid < right.uid : Number(leftMs) < Number(rightMs);
}
