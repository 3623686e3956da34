import { connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import type { ClusterConnection } from '../../lib/adapters/kubernetes/connection/cluster-connection.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { staticToken } from '../../lib/adapters/kubernetes/credentials/token-source.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { prepareUserCluster } from '../e2e/support/prepare-user-cluster.ts';
import type { ClusterRequest, Identity, TestCluster } from '../e2e/support/test-cluster.ts';
import type { AuditEntry } from '../real-apiserver/audit-log.ts';
import {
  type RealApiServer,
  type RealApiServerOptions,
  startRealApiServer,
} from '../real-apiserver/real-api-server.ts';
import { type RoleManifest, roleManifests } from '../support/role-manifests.ts';

export interface RealCluster extends TestCluster {
  readonly server: RealApiServer;
  /** A token of the identity's service account, which the API server signs. */
  token(identity: Account): Promise<string>;
  connection(identity: Account): Promise<ClusterConnection>;
}

/**
 * The accounts for which the shipped manifests create a service account, and those of the controllers in
 * test/conformance/author.
 */
export type Account = Identity | 't4' | 'control-plane' | 'website' | 'shelf';

/**
 * A cluster on a real kube-apiserver of its own. evenkeel's identities are service accounts that hold the shipped roles
 * and nothing else.
 * @param groups whose roles are installed, by folder; all by default.
 */
export async function realCluster(
  options: RealApiServerOptions = {},
  groups?: readonly string[],
): Promise<RealCluster> {
  const clock = new SystemClock();
  const server = await startRealApiServer(options);
  const { connection } = await loadKubeconfig({ file: server.kubeconfigPath, environment: {}, clock });
  const user = connectCluster({ connection, userAgent: 'test', clock, requestTimeoutMs: 60_000 });
  await prepareUserCluster(user.api);
  for (const manifest of roleManifests(groups)) await create(server, manifest);

  const token = async (identity: Account) => {
    const path = `/api/v1/namespaces/evenkeel-system/serviceaccounts/evenkeel-${identity}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
    const issued = await server.expectOk({ method: 'POST', path, body });
    return issued.json<{ status: { token: string } }>().status.token;
  };
  return {
    server,
    kubeconfig: server.kubeconfigPath,
    user: user.api,
    token,
    connection: async (identity) => ({ ...connection, token: staticToken(await token(identity)) }),
    mark: async () => ({ position: (await server.auditMark()).offsetBytes }),
    requestsSince: async ({ position }) =>
      (await server.auditEntries({ offsetBytes: position })).filter(isOurs).map(toRequest),
    async expireHistory() {
      await server.compact();
    },
    async [Symbol.asyncDispose]() {
      await user.close();
      await server.stop();
    },
  };
}

/** Whether evenkeel sent the request, with any identity. */
export function isOurs({ userAgent = '' }: AuditEntry): boolean {
  return userAgent.startsWith('evenkeel/');
}

export function toRequest({ verb, objectRef = {}, userAgent = '', responseStatus }: AuditEntry): ClusterRequest {
  const { apiGroup = '', resource = '', subresource = '', namespace = '', name = '' } = objectRef;
  const kind = apiGroup === '' ? resource : `${resource}.${apiGroup}`;
  return {
    verb,
    resource: subresource === '' ? kind : `${kind}/${subresource}`,
    namespace,
    name,
    userAgent,
    status: responseStatus?.code ?? 0,
  };
}

const COLLECTIONS: Readonly<Record<RoleManifest['kind'], string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
};

/** Leaves an object that exists as it is. */
async function create(server: RealApiServer, manifest: RoleManifest): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const path = `${prefix}${place}/${COLLECTIONS[kind]}`;
  const { status, text } = await server.request({ method: 'POST', path, body: manifest });
  if (status !== 201 && status !== 409) throw new Error(`${kind} ${metadata.name} was answered ${status}: ${text}`);
}
