/** A Keycloak client as the stand-in keeps it: the fields of ClientRepresentation that it knows. */
export interface StoredClient {
  id: string;
  clientId: string;
  [field: string]: unknown;
  attributes: Record<string, string>;
  protocolMappers: StoredMapper[];
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

/** The clients of one realm and their roles. */
export class StandInRealm {
  readonly clients = new Map<string, StoredClient>();
  readonly #roles = new Map<string, Map<string, StoredRole>>();

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
  }
}
