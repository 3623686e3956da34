import { sha256Hex } from '../../core/hash.ts';

/**
 * 16 hex digits, computed from a UID. Names contain them, so that an object that was recreated under the same name gets
 * other names.
 */
function uidHash(uid: string): string {
  return sha256Hex(uid).slice(0, 16);
}

/** The namespace of a Gateway's objects. */
export function gatewayNamespace(uid: string): string {
  return `hs-${uidHash(uid)}`;
}

export function isGatewayNamespace(name: string): boolean {
  return /^hs-[0-9a-f]{16}$/.test(name);
}

/** The namespace of a ManagedDatabase's Cluster. */
export function databaseNamespace(uid: string): string {
  return `hs-db-${uidHash(uid)}`;
}

/** A Gateway's client in the identity provider. */
export function identityClientId(gatewayUid: string): string {
  return `hs-${uidHash(gatewayUid)}`;
}

/** A Gateway's Database, DatabaseRole and Secret, next to the Cluster. */
export function databaseObjectName(gatewayUid: string): string {
  return `gw-${uidHash(gatewayUid)}`;
}

/** A Gateway's database and role in PostgreSQL, where a dash would need quotes. */
export function databaseUser(gatewayUid: string): string {
  return `gw_${uidHash(gatewayUid)}`;
}

/** The name of the Cluster. CloudNativePG derives the names of its services from it. */
export const CLUSTER_NAME = 'database';

/** The name of all objects in a Gateway's namespace. */
export const GATEWAY_NAME = 'gateway';
