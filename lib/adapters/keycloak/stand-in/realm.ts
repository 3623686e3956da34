/** A Keycloak client as the stand-in keeps it: the fields of ClientRepresentation that it knows. */
export interface StoredClient {
  id: string;
  clientId: string;
  [field: string]: unknown;
  attributes: Record<string, string>;
  protocolMappers: StoredMapper[];
  /** Names. */
  defaultClientScopes: string[];
  optionalClientScopes: string[];
}

export interface StoredMapper {
  id: string;
  name: string;
  protocol: string;
  protocolMapper: string;
  config: Record<string, string>;
}

export interface StoredRole {
  id: string;
  name: string;
  attributes: Record<string, string[]>;
}

export interface StoredScope {
  readonly id: string;
  readonly name: string;
  readonly protocol: 'openid-connect';
}

/** The client scopes of a new realm. A new client without scopes in its request gets them. */
export const DEFAULT_SCOPES: readonly string[] = ['acr', 'basic', 'email', 'profile', 'roles', 'web-origins'];
export const OPTIONAL_SCOPES: readonly string[] = ['address', 'microprofile-jwt', 'offline_access', 'phone'];

/** Roles that a client's tokens may have: the key is `realm` or a client's id, the value has the names of its roles. */
export type StoredMappings = Map<string, Set<string>>;

/** The clients of one realm, their roles and scope mappings, and the realm's client scopes. */
export class StandInRealm {
  readonly clients = new Map<string, StoredClient>();
  /** By id. */
  readonly scopes = new Map<string, StoredScope>();
  readonly #mappings = new Map<string, StoredMappings>();
  readonly #roles = new Map<string, Map<string, StoredRole>>();

  constructor() {
    for (const name of [...DEFAULT_SCOPES, ...OPTIONAL_SCOPES]) this.addScope(`scope-${name}`, name);
  }

  addScope(id: string, name: string): void {
    this.scopes.set(id, { id, name, protocol: 'openid-connect' });
  }

  mappingsOf(id: string): StoredMappings {
    let mappings = this.#mappings.get(id);
    if (mappings === undefined) {
      mappings = new Map();
      this.#mappings.set(id, mappings);
    }
    return mappings;
  }

  byClientId(clientId: string): StoredClient | undefined {
    return [...this.clients.values()].find((client) => client.clientId === clientId);
  }

  rolesOf(id: string): Map<string, StoredRole> {
    let roles = this.#roles.get(id);
    if (roles === undefined) {
      roles = new Map();
      this.#roles.set(id, roles);
    }
    return roles;
  }

  remove(id: string): void {
    this.clients.delete(id);
    this.#roles.delete(id);
    this.#mappings.delete(id);
  }
}
