import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import {
  type ClientMapper,
  type ClientRole,
  type ClientScope,
  type ClientSettings,
  type FoundClient,
  type FoundMapper,
  type IdentityCallOptions,
  IdentityError,
  type IdentityProvider,
  isIdentityError,
  type NewClient,
  type ScopeMapping,
} from '../../ports/identity-provider.ts';
import { StoppedError, stopping } from '../http/before-send.ts';
import { CallDeadline } from '../http/call-deadline.ts';
import { AccessToken, jsonOf, type KeycloakCredentials } from './access-token.ts';
import { answerError, exchangeError, malformed } from './keycloak-answer.ts';
import { clientPath, clientsPath, mappersPath, realmPath, scopeMappingsPath, scopePath } from './keycloak-paths.ts';
import type { KeycloakRequest, KeycloakResponse, KeycloakTransport } from './keycloak-transport.ts';
import {
  clientsSchema,
  mapperRepresentation,
  roleRepresentation,
  rolesSchema,
  scopeMappingsSchema,
  scopesSchema,
  settingsRepresentation,
  toClient,
  toRole,
  toScope,
  toScopeMappings,
} from './representations.ts';

export interface KeycloakOptions {
  /** The server's address without a slash at its end, e.g. `https://id.example.org`. */
  readonly server: string;
  readonly credentials: KeycloakCredentials;
  readonly transport: KeycloakTransport;
  readonly clock: Clock;
  /** The time-out of each call, the request for a token included; 10 s by default. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const anyList = z.array(z.unknown());
/** A longer Retry-After is cut to this. */
const MAX_QUIET_MS = 300_000;

interface Call {
  readonly what: string;
  readonly method: KeycloakRequest['method'];
  readonly path: string;
  readonly body?: object;
}

/**
 * Keycloak's Admin REST API.
 *
 * The token is renewed before it expires. It is also renewed after a 401 or a 403, because a token has only the roles
 * that its account had when it was issued; then the request, which had no effect, is repeated once. No other request is
 * repeated here: the backoff of the pass is the only retry. After a 429 with Retry-After, no caller sends a request
 * until that time.
 */
export class KeycloakIdentityProvider implements IdentityProvider {
  readonly server: string;
  readonly #transport: KeycloakTransport;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #token: AccessToken;
  #quietUntilMs = 0;

  constructor({ server, credentials, transport, clock, timeoutMs = DEFAULT_TIMEOUT_MS }: KeycloakOptions) {
    this.server = server;
    this.#transport = transport;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#token = new AccessToken(transport, credentials, clock);
  }

  async findClient(
    realm: string,
    clientId: string,
    options: IdentityCallOptions = {},
  ): Promise<FoundClient | undefined> {
    const what = `reading client ${clientId} of realm ${realm}`;
    const path = `${clientsPath(realm)}?clientId=${encodeURIComponent(clientId)}`;
    const look = async () => {
      const found = await this.#read({ what, method: 'GET', path }, clientsSchema, options);
      const client = found.find((each) => each.clientId === clientId);
      return client === undefined ? undefined : toClient(client);
    };
    const client = await look();
    if (client !== undefined) return client;
    await this.#proveView(realm, options);
    // The account may have got the right to view after the first request.
    return await look();
  }

  /**
   * An account with only `query-clients` gets 200 and an empty list, because Keycloak leaves out the clients that the
   * account may not view. Keycloak refuses the list of initial access tokens to every account that may not view all
   * clients of the realm.
   * @throws IdentityError Forbidden when an empty answer proves nothing.
   */
  async #proveView(realm: string, options: IdentityCallOptions): Promise<void> {
    const what = `checking that the account may view the clients of realm ${realm}`;
    await this.#read({ what, method: 'GET', path: `${realmPath(realm)}/clients-initial-access` }, anyList, options);
  }

  async createClient(realm: string, client: NewClient, options: IdentityCallOptions = {}): Promise<string> {
    const what = `creating client ${client.clientId} in realm ${realm}`;
    const body = {
      id: client.id,
      clientId: client.clientId,
      ...settingsRepresentation(client.settings),
      protocolMappers: client.mappers.map(mapperRepresentation),
      defaultClientScopes: client.defaultScopes,
      optionalClientScopes: [],
    };
    const { headers } = await this.#send({ what, method: 'POST', path: clientsPath(realm), body }, options);
    const id = /\/clients\/([^/?#]+)$/.exec(headers.location ?? '')?.[1];
    if (id === undefined) throw malformed(what, 'it does not say which client was created');
    return decodeURIComponent(id);
  }

  async updateClient(
    realm: string,
    id: string,
    settings: ClientSettings,
    options: IdentityCallOptions = {},
  ): Promise<void> {
    const what = `updating a client of realm ${realm}`;
    await this.#send(
      { what, method: 'PUT', path: clientPath(realm, id), body: settingsRepresentation(settings) },
      options,
    );
  }

  async deleteClient(realm: string, id: string, options: IdentityCallOptions = {}): Promise<void> {
    await this.#delete(`deleting a client of realm ${realm}`, clientPath(realm, id), options);
  }

  async listRoles(realm: string, id: string, options: IdentityCallOptions = {}): Promise<ClientRole[]> {
    const what = `reading the roles of a client of realm ${realm}`;
    // Without paging the server lists all roles.
    const path = `${clientPath(realm, id)}/roles?briefRepresentation=false`;
    return (await this.#read({ what, method: 'GET', path }, rolesSchema, options)).map(toRole);
  }

  async createRole(realm: string, id: string, role: ClientRole, options: IdentityCallOptions = {}): Promise<void> {
    const what = `creating role ${role.name} of a client of realm ${realm}`;
    const path = `${clientPath(realm, id)}/roles`;
    await this.#send({ what, method: 'POST', path, body: roleRepresentation(role) }, options);
  }

  async deleteRole(realm: string, id: string, name: string, options: IdentityCallOptions = {}): Promise<void> {
    const what = `deleting role ${name} of a client of realm ${realm}`;
    await this.#delete(what, `${clientPath(realm, id)}/roles/${encodeURIComponent(name)}`, options);
  }

  async createMapper(
    realm: string,
    id: string,
    mapper: ClientMapper,
    options: IdentityCallOptions = {},
  ): Promise<void> {
    const what = `creating mapper ${mapper.name} of a client of realm ${realm}`;
    await this.#send(
      { what, method: 'POST', path: mappersPath(realm, id), body: mapperRepresentation(mapper) },
      options,
    );
  }

  async updateMapper(realm: string, id: string, mapper: FoundMapper, options: IdentityCallOptions = {}): Promise<void> {
    const what = `updating mapper ${mapper.name} of a client of realm ${realm}`;
    const path = `${mappersPath(realm, id)}/${encodeURIComponent(mapper.id)}`;
    await this.#send({ what, method: 'PUT', path, body: mapperRepresentation(mapper) }, options);
  }

  async deleteMapper(realm: string, id: string, mapperId: string, options: IdentityCallOptions = {}): Promise<void> {
    const what = `deleting a mapper of a client of realm ${realm}`;
    await this.#delete(what, `${mappersPath(realm, id)}/${encodeURIComponent(mapperId)}`, options);
  }

  async listScopes(realm: string, options: IdentityCallOptions = {}): Promise<ClientScope[]> {
    const what = `reading the client scopes of realm ${realm}`;
    const path = `${realmPath(realm)}/client-scopes`;
    return (await this.#read({ what, method: 'GET', path }, scopesSchema, options)).map(toScope);
  }

  async addDefaultScope(realm: string, id: string, scopeId: string, options: IdentityCallOptions = {}): Promise<void> {
    const what = `adding a client scope to a client of realm ${realm}`;
    await this.#send({ what, method: 'PUT', path: scopePath(realm, id, scopeId) }, options);
  }

  async removeScope(realm: string, id: string, scopeId: string, options: IdentityCallOptions = {}): Promise<void> {
    const what = `taking a client scope from a client of realm ${realm}`;
    // Keycloak accepts optional scopes under this path too.
    await this.#delete(what, scopePath(realm, id, scopeId), options);
  }

  async listScopeMappings(realm: string, id: string, options: IdentityCallOptions = {}): Promise<ScopeMapping[]> {
    const what = `reading the scope mappings of a client of realm ${realm}`;
    const path = scopeMappingsPath(realm, id);
    return toScopeMappings(await this.#read({ what, method: 'GET', path }, scopeMappingsSchema, options));
  }

  async deleteScopeMapping(
    realm: string,
    id: string,
    mapping: ScopeMapping,
    options: IdentityCallOptions = {},
  ): Promise<void> {
    const what = `deleting scope mappings of a client of realm ${realm}`;
    const from = mapping.of === 'realm' ? 'realm' : `clients/${encodeURIComponent(mapping.id)}`;
    // A request without a body deletes all of them.
    await this.#delete(what, `${scopeMappingsPath(realm, id)}/${from}`, options);
  }

  async #delete(what: string, path: string, options: IdentityCallOptions): Promise<void> {
    try {
      await this.#send({ what, method: 'DELETE', path }, options);
    } catch (error) {
      if (!isIdentityError(error, 'NotFound')) throw error;
    }
  }

  async #read<Schema extends z.ZodType>(
    call: Call,
    schema: Schema,
    options: IdentityCallOptions,
  ): Promise<z.infer<Schema>> {
    const { body } = await this.#send(call, options);
    const parsed = schema.safeParse(jsonOf(body));
    if (!parsed.success) throw malformed(call.what, 'it has not the shape that the API promises');
    return parsed.data;
  }

  async #send(call: Call, { signal, beforeSend }: IdentityCallOptions): Promise<KeycloakResponse> {
    const quietMs = Math.ceil(this.#quietUntilMs - this.#clock.monotonic());
    if (quietMs > 0) {
      const message = `${call.what}: the identity server asked for no requests for a while`;
      throw new IdentityError('TooManyRequests', message, { status: 429, retryAfterMs: quietMs });
    }
    const deadline = new CallDeadline(this.#clock, this.#timeoutMs, signal);
    try {
      const response = await this.#authorized(call, deadline.signal, stopping(beforeSend ?? (() => {})));
      const succeeded = response.status >= 200 && response.status < 300;
      if (!succeeded) throw answerError(call.what, response, this.#clock.now());
      const isConfirmed = call.method === 'GET' || response.status === 201 || response.status === 204;
      if (!isConfirmed) throw malformed(call.what, 'it does not say that the change was made');
      return response;
    } catch (caught) {
      if (caught instanceof StoppedError) throw caught.cause;
      const error = exchangeError(call.what, caught, deadline);
      if (error.reason === 'TooManyRequests') this.#keepQuiet(error.retryAfterMs);
      throw error;
    } finally {
      deadline.end();
    }
  }

  #keepQuiet(retryAfterMs = 0): void {
    const untilMs = this.#clock.monotonic() + Math.min(retryAfterMs, MAX_QUIET_MS);
    this.#quietUntilMs = Math.max(this.#quietUntilMs, untilMs);
  }

  async #authorized(call: Call, signal: AbortSignal, beforeSend: () => void): Promise<KeycloakResponse> {
    const token = await this.#token.get(signal);
    beforeSend();
    const response = await this.#exchange(call, token, signal);
    if (response.status !== 401 && response.status !== 403) return response;
    this.#token.refused(token);
    const renewed = await this.#token.get(signal);
    beforeSend();
    return await this.#exchange(call, renewed, signal);
  }

  #exchange({ method, path, body }: Call, token: string, signal: AbortSignal): Promise<KeycloakResponse> {
    return this.#transport.send({
      method,
      path,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
  }
}
