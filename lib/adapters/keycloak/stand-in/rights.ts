/**
 * What an account may do with the clients of every realm; the names are Keycloak's roles. Each one includes those
 * before it.
 */
export type StandInRights = (typeof ORDER)[number];

const ORDER = ['none', 'query-clients', 'view-clients', 'manage-clients'] as const;

export function may(rights: StandInRights, needed: StandInRights): boolean {
  return ORDER.indexOf(rights) >= ORDER.indexOf(needed);
}
