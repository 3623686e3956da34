import { MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type {
  ClientMapper,
  ClientRole,
  ClientSettings,
  FoundClient,
  FoundMapper,
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
}

/**
 * A public client with PKCE: it has no secret that would have to be kept somewhere.
 * @param redirectHosts where the provider may send users back to.
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
 * Whose a client is that has our client id. Its marks can be copied, its id cannot: it is recorded before the client is
 * made.
 * @param recorded undefined where no client was recorded; without an id where an older release recorded it.
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

/** What is to be done with a client, in this order. */
export type ClientAction =
  | { readonly type: 'create-client' }
  | { readonly type: 'update-client' }
  | { readonly type: 'create-mapper'; readonly mapper: ClientMapper }
  | { readonly type: 'update-mapper'; readonly mapper: FoundMapper }
  | { readonly type: 'delete-mapper'; readonly mapper: FoundMapper }
  | { readonly type: 'create-role'; readonly role: ClientRole }
  | { readonly type: 'delete-role'; readonly name: string };

/**
 * Pure: what makes a client what it is to be. Settings and roles that are not ours stay. Mappers that are not ours go: each
 * can put what it likes into the tokens of the client.
 * @param roles what the found client has.
 */
export function planClient(
  desired: DesiredClient,
  found: FoundClient | undefined,
  roles: readonly ClientRole[],
  uid: string,
): ClientAction[] {
  const actions: ClientAction[] = [];
  if (found === undefined) actions.push({ type: 'create-client' });
  else {
    if (!sameSettings(desired.settings, found)) actions.push({ type: 'update-client' });
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
