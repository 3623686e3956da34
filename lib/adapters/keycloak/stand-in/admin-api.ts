import type { AdminRequest } from './admin-request.ts';
import { isObject, textMap } from './json-fields.ts';
import {
  DEFAULT_SCOPES,
  OPTIONAL_SCOPES,
  type StandInRealm,
  type StoredClient,
  type StoredMapper,
  type StoredRole,
} from './realm.ts';
import { may } from './rights.ts';
import { clientScopesAnswer, mappingsAnswer, scopesAnswer } from './scopes-api.ts';
import {
  conflict,
  created,
  forbidden,
  invalid,
  noContent,
  notAllowed,
  notFound,
  ok,
  type StandInAnswer,
} from './stand-in-answer.ts';

/** The fields of a new client that the request leaves out. */
const CLIENT_DEFAULTS = {
  enabled: true,
  protocol: 'openid-connect',
  publicClient: false,
  standardFlowEnabled: true,
  implicitFlowEnabled: false,
  directAccessGrantsEnabled: false,
  serviceAccountsEnabled: false,
  fullScopeAllowed: true,
  redirectUris: [],
};

/**
 * Serves the paths below /admin/realms/{realm}: clients, their roles and protocol mappers, and the list that only
 * viewers get.
 */
export function handleAdmin(request: AdminRequest): StandInAnswer {
  const [collection, id, kind, ...rest] = request.segments;
  const { rights, method } = request;
  if (collection === 'clients-initial-access') return may(rights, 'view-clients') ? ok([]) : forbidden();
  if (collection === 'client-scopes' && id === undefined && method === 'GET')
    return scopesAnswer(request.realm, rights);
  if (collection !== 'clients') return notFound('Resource not found');
  const needed = method === 'GET' ? 'view-clients' : 'manage-clients';
  if (id === undefined) {
    const isListed = method === 'GET' && may(rights, 'query-clients');
    return isListed || may(rights, needed) ? clientsAnswer(request) : forbidden();
  }
  const client = request.realm.clients.get(id);
  // An account that may not list must not learn whether an id is taken.
  if (client === undefined) return may(rights, 'query-clients') ? notFound('Could not find client') : forbidden();
  // An account that may list clients gets the roles, even if it may not view them.
  const isRoleList = kind === 'roles' && rest[0] === undefined && method === 'GET' && may(rights, 'query-clients');
  if (!isRoleList && !may(rights, needed)) return forbidden();
  if (kind === 'scope-mappings') return mappingsAnswer(request, client, rest);
  if (kind === 'default-client-scopes' || kind === 'optional-client-scopes') {
    return clientScopesAnswer(request, client, kind, rest[0]);
  }
  if (kind === undefined) return clientAnswer(request, client);
  if (kind === 'roles') return rolesAnswer(request, client, rest[0]);
  if (kind === 'protocol-mappers' && rest[0] === 'models') return mappersAnswer(request, client, rest[1]);
  return notFound('Resource not found');
}

function clientsAnswer({ realm, rights, method, query, body, newId }: AdminRequest): StandInAnswer {
  if (method === 'GET') {
    const clientId = query.get('clientId');
    const clients = may(rights, 'view-clients') ? [...realm.clients.values()] : [];
    return ok(clientId === null ? clients : clients.filter((client) => client.clientId === clientId));
  }
  if (method !== 'POST') return notAllowed();
  if (!isObject(body) || typeof body.clientId !== 'string' || body.clientId === '') return invalid();
  if (realm.byClientId(body.clientId) !== undefined) return conflict(`Client ${body.clientId} already exists`);
  const id = typeof body.id === 'string' ? body.id : newId();
  if (realm.clients.has(id)) return conflict('Client already exists');
  const client: StoredClient = {
    ...CLIENT_DEFAULTS,
    ...body,
    id,
    clientId: body.clientId,
    attributes: textMap(body.attributes),
    protocolMappers: listOf(body.protocolMappers).map((mapper) => toMapper(mapper, newId())),
    defaultClientScopes: newScopes(realm, body, 'defaultClientScopes', DEFAULT_SCOPES),
    optionalClientScopes: newScopes(realm, body, 'optionalClientScopes', OPTIONAL_SCOPES),
  };
  realm.clients.set(id, client);
  return created(`clients/${id}`);
}

/**
 * If a request names one of the lists, the client gets the named scopes of the realm. Otherwise it gets the default
 * scopes.
 */
function newScopes(
  realm: StandInRealm,
  body: Readonly<Record<string, unknown>>,
  field: 'defaultClientScopes' | 'optionalClientScopes',
  byDefault: readonly string[],
): string[] {
  const isNamed = body.defaultClientScopes !== undefined || body.optionalClientScopes !== undefined;
  const wanted = isNamed ? listOf(body[field]) : byDefault;
  return [...realm.scopes.values()].map(({ name }) => name).filter((name) => wanted.includes(name));
}

function clientAnswer({ realm, method, body }: AdminRequest, client: StoredClient): StandInAnswer {
  if (method === 'GET') return ok(client);
  if (method === 'DELETE') {
    realm.remove(client.id);
    return noContent();
  }
  if (method !== 'PUT') return notAllowed();
  if (!isObject(body)) return invalid();
  // Fields that a request leaves out stay, attributes one by one. Mappers and scopes have paths of their own.
  const {
    id: _,
    attributes,
    protocolMappers: __,
    defaultClientScopes: ___,
    optionalClientScopes: ____,
    ...fields
  } = body;
  Object.assign(client, fields);
  Object.assign(client.attributes, textMap(attributes));
  return noContent();
}

function rolesAnswer(
  { realm, method, query, body, newId }: AdminRequest,
  client: StoredClient,
  name: string | undefined,
): StandInAnswer {
  const roles = realm.rolesOf(client.id);
  if (name === undefined && method === 'GET') {
    const brief = query.get('briefRepresentation') !== 'false';
    return ok([...roles.values()].map(({ attributes, ...role }) => (brief ? role : { ...role, attributes })));
  }
  if (name === undefined && method === 'POST') {
    if (!isObject(body) || typeof body.name !== 'string' || body.name === '') return invalid();
    if (roles.has(body.name)) return conflict(`Role with name ${body.name} already exists`);
    const attributes = isObject(body.attributes) ? (body.attributes as StoredRole['attributes']) : {};
    roles.set(body.name, { id: newId(), name: body.name, attributes });
    return created(`clients/${client.id}/roles/${encodeURIComponent(body.name)}`);
  }
  if (name === undefined) return notAllowed();
  const role = roles.get(name);
  if (role === undefined) return notFound('Could not find role');
  if (method === 'GET') return ok(role);
  if (method !== 'DELETE') return notAllowed();
  roles.delete(name);
  return noContent();
}

function mappersAnswer(
  { method, body, newId }: AdminRequest,
  client: StoredClient,
  id: string | undefined,
): StandInAnswer {
  const mappers = client.protocolMappers;
  if (id === undefined && method === 'GET') return ok(mappers);
  if (id === undefined && method === 'POST') {
    if (!isObject(body) || typeof body.name !== 'string') return invalid();
    if (mappers.some((mapper) => mapper.name === body.name)) return conflict('Protocol mapper exists with same name');
    const mapper = toMapper(body, newId());
    mappers.push(mapper);
    return created(`clients/${client.id}/protocol-mappers/models/${mapper.id}`);
  }
  if (id === undefined) return notAllowed();
  const index = mappers.findIndex((mapper) => mapper.id === id);
  if (index < 0) return notFound('Model not found');
  if (method === 'GET') return ok(mappers[index]);
  if (method === 'DELETE') mappers.splice(index, 1);
  else if (method === 'PUT' && isObject(body)) mappers[index] = toMapper(body, id);
  else return notAllowed();
  return noContent();
}

function toMapper(value: unknown, id: string): StoredMapper {
  const fields = isObject(value) ? value : {};
  return {
    id,
    name: String(fields.name ?? ''),
    protocol: String(fields.protocol ?? 'openid-connect'),
    protocolMapper: String(fields.protocolMapper ?? ''),
    config: textMap(fields.config),
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
