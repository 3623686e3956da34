import { MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type {
  ClientMapper,
  ClientRole,
  ClientSettings,
  FoundClient,
  FoundMapper,
  ScopeMapping,
} from '../../../ports/identity-provider.ts';
import { identityClientId } from '../names.ts';
import type { Gateway } from './gateway-spec.ts';

const OWNER_ATTRIBUTE = 'evenkeel.dev/owner-uid';
const MANAGED_BY_ATTRIBUTE = 'evenkeel.dev/managed-by';

export interface DesiredClient {
  readonly clientId: string;
  readonly settings: ClientSettings;
  readonly mappers: readonly ClientMapper[];
  readonly roles: readonly ClientRole[];
  /** Names. The client has no optional scopes and no scope mappings. */
  readonly defaultScopes: readonly string[];
}

/**
 * The scopes that Keycloak itself makes defaults, by name: the identity of the user, and the client's own roles. All
 * others are removed, also those that a realm gives to every new client, because each can add roles to the tokens
 * (R-3.8).
 */
const DEFAULT_SCOPES = ['acr', 'basic', 'email', 'profile', 'roles', 'web-origins'];

/**
 * A public client with PKCE. It needs no client secret.
 * @param redirectHosts the hosts to which the provider may send users back.
 */
export function desiredClient(gateway: Gateway, redirectHosts: readonly string[]): DesiredClient {
  const { uid } = gateway.owner;
  const clientId = identityClientId(uid);
  const marks = ownerAttributes(uid);
  return {
    clientId,
    settings: {
      enabled: true,
      publicClient: true,
      standardFlow: true,
      implicitFlow: false,
      directAccessGrants: false,
      serviceAccounts: false,
      fullScope: false,
      redirectUris: redirectHosts.map(redirectUri),
      attributes: { ...marks, 'pkce.code.challenge.method': 'S256' },
    },
    mappers: [
      {
        name: 'evenkeel-audience',
        mapper: 'oidc-audience-mapper',
        config: { 'included.client.audience': clientId, 'access.token.claim': 'true', 'id.token.claim': 'false' },
      },
      {
        name: 'evenkeel-roles',
        mapper: 'oidc-usermodel-client-role-mapper',
        config: {
          'usermodel.clientRoleMapping.clientId': clientId,
          'claim.name': 'roles',
          'jsonType.label': 'String',
          multivalued: 'true',
          'access.token.claim': 'true',
          'id.token.claim': 'true',
        },
      },
    ],
    roles: (gateway.identity?.roles ?? []).map((name) => ({ name, attributes: marks })),
    defaultScopes: DEFAULT_SCOPES,
  };
}

export function redirectUri(host: string): string {
  return `https://${host}/*`;
}

function ownerAttributes(uid: string): Record<string, string> {
  return { [MANAGED_BY_ATTRIBUTE]: MANAGED_BY_VALUE, [OWNER_ATTRIBUTE]: uid };
}

export type ClientStanding = 'ours' | 'unowned' | 'foreign';

/**
 * Decides who owns a client with our client id. Its marks can be copied, but not its id, which is recorded before the client
 * is created.
 * @param recorded undefined when no client was recorded; without an id when an older release recorded it.
 */
export function clientStanding(
  { id, attributes }: Pick<FoundClient, 'id' | 'attributes'>,
  uid: string,
  recorded: { readonly id?: string | undefined } | undefined,
): ClientStanding {
  const owner = attributes[OWNER_ATTRIBUTE];
  if (owner === uid)
    return recorded !== undefined && (recorded.id === undefined || recorded.id === id) ? 'ours' : 'foreign';
  return owner === undefined ? 'unowned' : 'foreign';
}

/** The changes of a client, in this order. */
export type ClientAction =
  | { readonly type: 'create-client' }
  | { readonly type: 'update-client' }
  | { readonly type: 'delete-scope-mapping'; readonly mapping: ScopeMapping }
  | { readonly type: 'remove-scope'; readonly name: string }
  | { readonly type: 'add-scope'; readonly name: string }
  | { readonly type: 'create-mapper'; readonly mapper: ClientMapper }
  | { readonly type: 'update-mapper'; readonly mapper: FoundMapper }
  | { readonly type: 'delete-mapper'; readonly mapper: FoundMapper }
  | { readonly type: 'create-role'; readonly role: ClientRole }
  | { readonly type: 'delete-role'; readonly name: string };

/** The parts of a client that are read separately. A client that does not exist yet has none. */
export interface ClientBelongings {
  readonly roles: readonly ClientRole[];
  readonly scopeMappings: readonly ScopeMapping[];
}

/**
 * Pure: the changes that bring a client to its desired state. Settings and roles of others stay. Mappers, scopes and scope
 * mappings of others are removed, because each can put anything into the tokens of the client.
 */
export function planClient(
  desired: DesiredClient,
  found: FoundClient | undefined,
  { roles, scopeMappings }: ClientBelongings,
  uid: string,
): ClientAction[] {
  const actions: ClientAction[] = [];
  if (found === undefined) actions.push({ type: 'create-client' });
  else {
    if (!sameSettings(desired.settings, found)) actions.push({ type: 'update-client' });
    actions.push(...scopeMappings.map((mapping): ClientAction => ({ type: 'delete-scope-mapping', mapping })));
    actions.push(...planScopes(desired.defaultScopes, found));
    for (const mapper of desired.mappers) {
      const present = found.mappers.find(({ name }) => name === mapper.name);
      if (present === undefined) actions.push({ type: 'create-mapper', mapper });
      else if (present.mapper !== mapper.mapper || !includes(present.config, mapper.config)) {
        const config = { ...present.config, ...mapper.config };
        actions.push({ type: 'update-mapper', mapper: { ...mapper, id: present.id, config } });
      }
    }
    for (const mapper of found.mappers) {
      if (!desired.mappers.some(({ name }) => name === mapper.name)) actions.push({ type: 'delete-mapper', mapper });
    }
  }
  const present = new Set(roles.map(({ name }) => name));
  const wanted = new Set(desired.roles.map(({ name }) => name));
  for (const role of desired.roles) if (!present.has(role.name)) actions.push({ type: 'create-role', role });
  for (const { name, attributes } of roles) {
    if (!wanted.has(name) && attributes[OWNER_ATTRIBUTE] === uid) actions.push({ type: 'delete-role', name });
  }
  return actions;
}

/** Removes before it adds, because a scope that the client has as an optional one cannot be added as a default one. */
function planScopes(wanted: readonly string[], { defaultScopes, optionalScopes }: FoundClient): ClientAction[] {
  const surplus = [...optionalScopes, ...defaultScopes.filter((name) => !wanted.includes(name))];
  const missing = wanted.filter((name) => !defaultScopes.includes(name));
  return [
    ...surplus.map((name): ClientAction => ({ type: 'remove-scope', name })),
    ...missing.map((name): ClientAction => ({ type: 'add-scope', name })),
  ];
}

function sameSettings(desired: ClientSettings, found: ClientSettings): boolean {
  const { redirectUris, attributes, ...flags } = desired;
  const sameUris =
    redirectUris.length === found.redirectUris.length && redirectUris.every((uri) => found.redirectUris.includes(uri));
  const sameFlags = Object.entries(flags).every(([flag, value]) => found[flag as keyof typeof flags] === value);
  return sameUris && sameFlags && includes(found.attributes, attributes);
}

function includes(actual: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => actual[key] === value);
}
