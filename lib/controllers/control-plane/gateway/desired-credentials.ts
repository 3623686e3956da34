import type { DesiredObject, KubeObject } from '../../../core/kube-object.ts';
import { apiVersion, Secrets } from '../../../core/resource-type.ts';
import { DatabaseRoles, Databases } from '../kinds.ts';
import { CLUSTER_NAME, databaseNamespace, databaseObjectName, databaseUser, gatewayNamespace } from '../names.ts';

/** The Secret in the Gateway's namespace, which the Pods mount. */
export const CREDENTIALS_NAME = 'gateway-database';

/** A Secret's data: base64 by key. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export function newCredentials(gatewayUid: string, password: string): Credentials {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return { username: encode(databaseUser(gatewayUid)), password: encode(password) };
}

/** Undefined when the Secret lacks one of them. */
export function credentialsOf(secret: KubeObject | undefined): Credentials | undefined {
  const { username, password } = (secret?.data ?? {}) as { username?: unknown; password?: unknown };
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return username === '' || password === '' ? undefined : { username, password };
}

/** The Secret with the password of the role, next to the Cluster, where CloudNativePG reads it. */
export function desiredAuthority(gatewayUid: string, databaseUid: string, credentials: Credentials): DesiredObject {
  return secret(databaseNamespace(databaseUid), databaseObjectName(gatewayUid), credentials);
}

export function desiredCopy(gatewayUid: string, credentials: Credentials): DesiredObject {
  return secret(gatewayNamespace(gatewayUid), CREDENTIALS_NAME, credentials);
}

/** While the Gateway exists, deleting a DatabaseRole or Database by mistake removes nothing in PostgreSQL. */
export function desiredRole(gatewayUid: string, databaseUid: string): DesiredObject {
  const name = databaseObjectName(gatewayUid);
  return {
    apiVersion: apiVersion(DatabaseRoles),
    kind: DatabaseRoles.kind,
    metadata: { namespace: databaseNamespace(databaseUid), name },
    spec: {
      cluster: { name: CLUSTER_NAME },
      name: databaseUser(gatewayUid),
      ensure: 'present',
      login: true,
      passwordSecret: { name },
      databaseRoleReclaimPolicy: 'retain',
    },
  };
}

export function desiredDatabase(gatewayUid: string, databaseUid: string): DesiredObject {
  return {
    apiVersion: apiVersion(Databases),
    kind: Databases.kind,
    metadata: { namespace: databaseNamespace(databaseUid), name: databaseObjectName(gatewayUid) },
    spec: {
      cluster: { name: CLUSTER_NAME },
      name: databaseUser(gatewayUid),
      owner: databaseUser(gatewayUid),
      ensure: 'present',
      databaseReclaimPolicy: 'retain',
    },
  };
}

/** Whether CloudNativePG has applied a Database or DatabaseRole. */
export function isApplied({ status }: KubeObject): boolean {
  return (status as { applied?: unknown } | undefined)?.applied === true;
}

function secret(namespace: string, name: string, { username, password }: Credentials): DesiredObject {
  return {
    apiVersion: apiVersion(Secrets),
    kind: Secrets.kind,
    metadata: { namespace, name },
    type: 'kubernetes.io/basic-auth',
    data: { username, password },
  };
}
