import type { Gateway } from './gateway-spec.ts';
import { isPublicHost } from './public-host.ts';

/** The realms, and the redirect hosts in them, that the Gateways of some namespaces may ask for. */
export interface RealmPermission {
  /** Names of namespaces, or `*` for all. */
  readonly namespaces: readonly string[];
  readonly realms: readonly string[];
  /** Host names, or `*.suffix` for every name below the suffix. */
  readonly redirectHosts: readonly string[];
}

/** The route hosts that the Gateways of some namespaces may ask for. */
export interface RoutePermission {
  /** Names of namespaces, or `*` for all. */
  readonly namespaces: readonly string[];
  /** Host names, or `*.suffix` for every name below the suffix. */
  readonly hosts: readonly string[];
}

/** What the settings permit. Everything else is refused. */
export interface GatewayPermissions {
  readonly realms?: readonly RealmPermission[] | undefined;
  readonly routes?: readonly RoutePermission[] | undefined;
  readonly identityAccount?: { readonly realm: string } | undefined;
}

export type RealmVerdict =
  | { readonly type: 'permitted' }
  | { readonly type: 'realm-refused'; readonly realm: string }
  /** The realm is permitted, and these redirect hosts are not. */
  | { readonly type: 'hosts-refused'; readonly hosts: readonly string[] };

type Asking = Pick<Gateway, 'identity' | 'serverDnsNames' | 'routeHost'> & {
  readonly owner: { readonly namespace: string };
};

/** Pure: whether a Gateway may have the identity client that it asks for. */
export function checkPermission(gateway: Asking, { realms = [], identityAccount }: GatewayPermissions): RealmVerdict {
  const realm = gateway.identity?.realm;
  if (realm === undefined) return { type: 'permitted' };
  const granted = realms.filter(
    (each) => names(each.namespaces, gateway.owner.namespace) && each.realms.includes(realm),
  );
  // Some databases of Keycloak compare names without regard to case.
  const isAccounts = realm.toLowerCase() === identityAccount?.realm.toLowerCase();
  if (isAccounts || granted.length === 0) return { type: 'realm-refused', realm };
  const patterns = granted.flatMap(({ redirectHosts }) => redirectHosts);
  const refused = redirectHosts(gateway).filter((host) => !isPermittedHost(host, patterns));
  return refused.length === 0 ? { type: 'permitted' } : { type: 'hosts-refused', hosts: refused };
}

/** Pure: whether the Gateways of a namespace may have routes of this host. */
export function mayHaveHost(namespace: string, host: string, { routes = [] }: GatewayPermissions): boolean {
  const granted = routes.filter(({ namespaces }) => names(namespaces, namespace));
  return isPermittedHost(
    host,
    granted.flatMap(({ hosts }) => hosts),
  );
}

/** The hosts that the identity provider may send users back to: sorted, each once. */
export function redirectHosts({ serverDnsNames, routeHost }: Pick<Gateway, 'serverDnsNames' | 'routeHost'>): string[] {
  return [...new Set([...serverDnsNames, ...(routeHost === undefined ? [] : [routeHost])])].sort();
}

function names(namespaces: readonly string[], namespace: string): boolean {
  return namespaces.includes(namespace) || namespaces.includes('*');
}

function isPermittedHost(host: string, patterns: readonly string[]): boolean {
  if (!isPublicHost(host)) return false;
  return patterns.some((pattern) => (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern));
}
