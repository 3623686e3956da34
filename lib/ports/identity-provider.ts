import { EvenkeelError } from '../core/errors.ts';

/** The place of a client in an identity provider: everything that is needed to find it again. */
export interface ClientLocation {
  /** The provider's address, as in `IdentityProvider.server`. */
  readonly server: string;
  readonly realm: string;
  readonly clientId: string;
}

/** The fields of a client that its declaration decides. All other fields are not changed. */
export interface ClientSettings {
  readonly enabled: boolean;
  /** Has no secret. */
  readonly publicClient: boolean;
  readonly standardFlow: boolean;
  readonly implicitFlow: boolean;
  readonly directAccessGrants: boolean;
  readonly serviceAccounts: boolean;
  /** Whether its tokens contain every role that the user has in the realm, and not only the client's own roles. */
  readonly fullScope: boolean;
  /** A set: their order does not count. */
  readonly redirectUris: readonly string[];
  /** Only the attributes named here; others are not changed. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A protocol mapper: adds data of the client or its user to tokens. */
export interface ClientMapper {
  readonly name: string;
  /** The provider's name for the type of mapper, e.g. `oidc-audience-mapper`. */
  readonly mapper: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface FoundMapper extends ClientMapper {
  readonly id: string;
}

export interface FoundClient extends ClientSettings {
  /** The provider's own id of the client. No other client will ever have it. */
  readonly id: string;
  readonly clientId: string;
  readonly mappers: readonly FoundMapper[];
  /** Names of the client scopes whose mappers and roles every token of the client gets. */
  readonly defaultScopes: readonly string[];
  /** Names of the client scopes that a login may ask for. */
  readonly optionalScopes: readonly string[];
}

export interface NewClient {
  /**
   * The `FoundClient.id` of the new client: a UUID that nobody can guess, so that a caller that recorded it before
   * recognizes the client.
   */
  readonly id: string;
  readonly clientId: string;
  readonly settings: ClientSettings;
  readonly mappers: readonly ClientMapper[];
  /** Replaces the scopes that the realm gives to every new client. A name that the realm does not know is ignored. */
  readonly defaultScopes: readonly string[];
}

/** A client scope of a realm: mappers and roles under one name, for any of its clients. */
export interface ClientScope {
  readonly id: string;
  readonly name: string;
}

/**
 * Roles of others that the tokens of a client may contain: without the full scope, these and the roles of its client
 * scopes. They are roles of the realm, or of the client with this id.
 */
export type ScopeMapping = { readonly of: 'realm' } | { readonly of: 'client'; readonly id: string };

/** A role of a client. */
export interface ClientRole {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface IdentityCallOptions {
  readonly signal?: AbortSignal;
  /**
   * Called right before the request is sent, after its token was fetched. If it throws, the call ends and nothing was
   * sent.
   */
  readonly beforeSend?: () => void;
}

/**
 * The administration of one identity provider (R-3.7). Every method except `findClient` is one request, without
 * requests for tokens. Each method rejects with `IdentityError` when the provider refuses it or does not answer. Each
 * has a time-out.
 */
export interface IdentityProvider {
  /** Credentials are sent only to this address. */
  readonly server: string;

  /**
   * @returns undefined when the realm has no such client, but only after the provider showed that the account may view
   * the clients of the realm (R-3.10).
   * @throws IdentityError NotFound when the realm does not exist, Forbidden when the answer was empty and the account
   * may not view clients.
   */
  findClient(realm: string, clientId: string, options?: IdentityCallOptions): Promise<FoundClient | undefined>;
  /** @returns the new client's id. @throws IdentityError AlreadyExists: find the existing client and decide. */
  createClient(realm: string, client: NewClient, options?: IdentityCallOptions): Promise<string>;
  /** Sets these settings and does not change others. @throws IdentityError NotFound */
  updateClient(realm: string, id: string, settings: ClientSettings, options?: IdentityCallOptions): Promise<void>;
  /** Deletes a client. Succeeds when it is already gone. */
  deleteClient(realm: string, id: string, options?: IdentityCallOptions): Promise<void>;

  listRoles(realm: string, id: string, options?: IdentityCallOptions): Promise<ClientRole[]>;
  /** @throws IdentityError AlreadyExists */
  createRole(realm: string, id: string, role: ClientRole, options?: IdentityCallOptions): Promise<void>;
  /** Deletes a role. Succeeds when it is already gone. */
  deleteRole(realm: string, id: string, name: string, options?: IdentityCallOptions): Promise<void>;

  /** @throws IdentityError AlreadyExists */
  createMapper(realm: string, id: string, mapper: ClientMapper, options?: IdentityCallOptions): Promise<void>;
  updateMapper(realm: string, id: string, mapper: FoundMapper, options?: IdentityCallOptions): Promise<void>;
  /** Deletes a mapper. Succeeds when it is already gone. */
  deleteMapper(realm: string, id: string, mapperId: string, options?: IdentityCallOptions): Promise<void>;

  /** Every client scope of the realm. */
  listScopes(realm: string, options?: IdentityCallOptions): Promise<ClientScope[]>;
  /**
   * Adds a default scope. Nothing changes when the client already has it, as a default or an optional scope. @throws
   * IdentityError NotFound
   */
  addDefaultScope(realm: string, id: string, scopeId: string, options?: IdentityCallOptions): Promise<void>;
  /** Removes a scope, a default or an optional one. Succeeds when it is already gone. */
  removeScope(realm: string, id: string, scopeId: string, options?: IdentityCallOptions): Promise<void>;

  /** Returns which roles of others the client has. @throws IdentityError NotFound */
  listScopeMappings(realm: string, id: string, options?: IdentityCallOptions): Promise<ScopeMapping[]>;
  /** Removes all roles of the mapping. Succeeds when it is already gone. */
  deleteScopeMapping(realm: string, id: string, mapping: ScopeMapping, options?: IdentityCallOptions): Promise<void>;
}

/** The error of a call, as a closed set. */
export type IdentityErrorReason =
  /** The realm, or the object of the call, is absent. */
  | 'NotFound'
  | 'AlreadyExists'
  /** The provider refuses the request itself. */
  | 'Invalid'
  /** The credentials are refused, even with a new token. */
  | 'Unauthorized'
  | 'Forbidden'
  /** 429. */
  | 'TooManyRequests'
  /** 5xx. */
  | 'ServerError'
  /** No answer in time: the outcome of a write is unknown. */
  | 'Timeout'
  /** Refused, reset, TLS or DNS failure: the outcome of a write is unknown. */
  | 'Unreachable'
  /** An answer that does not follow the provider's API (HTML, truncated JSON, a redirect). */
  | 'Malformed';

/** The provider's own text is never part of the message (R-1.24). */
export class IdentityError extends EvenkeelError {
  readonly reason: IdentityErrorReason;
  /** HTTP status, 0 when there was no response. */
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: IdentityErrorReason,
    message: string,
    options: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(
      `IDENTITY_${reason.replace(/[A-Z]/g, (letter, index) => (index > 0 ? `_${letter}` : letter)).toUpperCase()}`,
      message,
      { cause: options.cause },
    );
    this.reason = reason;
    this.status = options.status ?? 0;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function isIdentityError(error: unknown, ...reasons: readonly IdentityErrorReason[]): error is IdentityError {
  return error instanceof IdentityError && (reasons.length === 0 || reasons.includes(error.reason));
}
