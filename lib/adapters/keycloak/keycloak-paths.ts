/** Paths of Keycloak's Admin REST API. `id` is the id of a client. */
export function realmPath(realm: string): string {
  return `/admin/realms/${encodeURIComponent(realm)}`;
}

export function clientsPath(realm: string): string {
  return `${realmPath(realm)}/clients`;
}

export function clientPath(realm: string, id: string): string {
  return `${clientsPath(realm)}/${encodeURIComponent(id)}`;
}

export function mappersPath(realm: string, id: string): string {
  return `${clientPath(realm, id)}/protocol-mappers/models`;
}

export function scopePath(realm: string, id: string, scopeId: string): string {
  return `${clientPath(realm, id)}/default-client-scopes/${encodeURIComponent(scopeId)}`;
}

export function scopeMappingsPath(realm: string, id: string): string {
  return `${clientPath(realm, id)}/scope-mappings`;
}
