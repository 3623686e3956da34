import type { AdminRequest } from './admin-request.ts';
import { isObject } from './json-fields.ts';
import type { StandInRealm, StoredClient } from './realm.ts';
import { may, type StandInRights } from './rights.ts';
import { forbidden, invalid, noContent, notAllowed, notFound, ok, type StandInAnswer } from './stand-in-answer.ts';

/**
 * /client-scopes. An account that may only query clients gets an empty list, because Keycloak leaves out the scopes
 * that the account may not view.
 */
export function scopesAnswer(realm: StandInRealm, rights: StandInRights): StandInAnswer {
  if (!may(rights, 'query-clients')) return forbidden();
  return ok(may(rights, 'view-clients') ? [...realm.scopes.values()] : []);
}

/**
 * /clients/{id}/default-client-scopes and optional-client-scopes: a scope of a client is in at most one of the two
 * lists.
 */
export function clientScopesAnswer(
  { realm, method }: Pick<AdminRequest, 'realm' | 'method'>,
  client: StoredClient,
  kind: 'default-client-scopes' | 'optional-client-scopes',
  scopeId: string | undefined,
): StandInAnswer {
  const names = kind === 'default-client-scopes' ? client.defaultClientScopes : client.optionalClientScopes;
  if (scopeId === undefined) {
    if (method !== 'GET') return notAllowed();
    return ok([...realm.scopes.values()].filter(({ name }) => names.includes(name)));
  }
  const name = realm.scopes.get(scopeId)?.name;
  if (name === undefined) return notFound('Client scope not found');
  if (method === 'PUT') {
    const has = client.defaultClientScopes.includes(name) || client.optionalClientScopes.includes(name);
    if (!has) names.push(name);
    return noContent();
  }
  if (method !== 'DELETE') return notAllowed();
  client.defaultClientScopes = client.defaultClientScopes.filter((each) => each !== name);
  client.optionalClientScopes = client.optionalClientScopes.filter((each) => each !== name);
  return noContent();
}

/** /clients/{id}/scope-mappings, and below it /realm and /clients/{other}. It does not check whether a role exists. */
export function mappingsAnswer(
  { realm, method, body }: Pick<AdminRequest, 'realm' | 'method' | 'body'>,
  client: StoredClient,
  [container, otherId]: readonly (string | undefined)[],
): StandInAnswer {
  const mappings = realm.mappingsOf(client.id);
  if (container === undefined) return method === 'GET' ? ok(mappingsRepresentation(realm, mappings)) : notAllowed();
  const from = container === 'realm' ? 'realm' : otherId;
  if (from === undefined || (from !== 'realm' && !realm.clients.has(from))) return notFound('Client not found');
  if (method === 'DELETE') {
    mappings.delete(from);
    return noContent();
  }
  if (method !== 'POST') return notAllowed();
  if (!Array.isArray(body)) return invalid();
  const roles = mappings.get(from) ?? new Set<string>();
  for (const role of body) if (isObject(role)) roles.add(String(role.name));
  mappings.set(from, roles);
  return noContent();
}

function mappingsRepresentation(realm: StandInRealm, mappings: ReadonlyMap<string, ReadonlySet<string>>): object {
  const rolesOf = (names: ReadonlySet<string>) => [...names].map((name) => ({ name }));
  const ofRealm = mappings.get('realm');
  const ofClients = [...mappings].flatMap(([id, names]) => {
    const other = realm.clients.get(id);
    return other === undefined ? [] : [[other.clientId, { id, client: other.clientId, mappings: rolesOf(names) }]];
  });
  return {
    ...(ofRealm !== undefined && { realmMappings: rolesOf(ofRealm) }),
    ...(ofClients.length > 0 && { clientMappings: Object.fromEntries(ofClients) }),
  };
}
