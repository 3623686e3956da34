import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isWrite } from '../real-apiserver/audit-log.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { serviceAccountToken } from '../real-apiserver/service-account-token.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { until } from '../real-apiserver/until.ts';
import { withNamespace } from '../real-apiserver/with-namespace.ts';

let server: ApiServer;

beforeAll(async () => {
  server = await sharedApiServer();
});

afterAll(async () => {
  await server.disconnect();
});

function createConfigMap(namespace: string, name: string, metadata: object = {}) {
  return server.expectOk({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: { metadata: { name, ...metadata } },
  });
}

function isGone(path: string): Promise<boolean> {
  return server.request({ method: 'GET', path }).then(({ status }) => status === 404);
}

test('the control plane is ready, says its version, and lets nobody do anything without a token', async () => {
  expect((await server.request({ method: 'GET', path: '/readyz' })).status).toBe(200);
  const version = (await server.request({ method: 'GET', path: '/version' })).json<{ gitVersion: string }>();
  expect(version.gitVersion).toMatch(/^v1\.\d+\.\d+$/);
  const stranger = await server.request({ method: 'GET', path: '/api/v1/namespaces', token: 'not-a-token' });
  expect(stranger.status).toBe(401);
});

/**
 * A second loopback address, which every Linux machine has. A server that listens on all addresses answers there; one
 * that listens on 127.0.0.1 does not.
 */
const OTHER_LOOPBACK = '127.0.0.2';

function isOurs(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const listener = createServer();
    listener.once('error', () => resolve(false));
    listener.listen(0, address, () => listener.close(() => resolve(true)));
  });
}

test('the control plane can be reached on loopback only', async ({ skip }) => {
  const { hostname, port } = new URL(server.url);
  expect(hostname).toBe('127.0.0.1');
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  if (await isOurs(OTHER_LOOPBACK)) others.push(OTHER_LOOPBACK);
  skip(others.length === 0, 'this machine has no address beside 127.0.0.1 to reach the control plane on');
  for (const address of others) {
    const outcome = await new Promise((resolve) => {
      const socket = connect({ host: address, port: Number(port) });
      socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'));
      socket.once('connect', () => socket.destroy());
    });
    expect(outcome, address).toBe('refused');
  }
});

test('what a deleted object owns is collected, and what it does not own stays', async () => {
  await withNamespace(server, async (namespace) => {
    const owner = (await createConfigMap(namespace, 'owner')).json();
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, controller: true };
    await createConfigMap(namespace, 'owned', { ownerReferences: [reference] });
    await createConfigMap(namespace, 'bystander');

    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    await server.expectOk({ method: 'DELETE', path: `${configMaps}/owner` });

    await until(() => isGone(`${configMaps}/owned`));
    expect(await isGone(`${configMaps}/bystander`)).toBe(false);
  });
});

test('a deleted namespace goes with all it holds, a volume claim too', async () => {
  const namespace = await withNamespace(server, async (name) => {
    await createConfigMap(name, 'held');
    await server.expectOk({
      method: 'POST',
      path: `/api/v1/namespaces/${name}/persistentvolumeclaims`,
      body: {
        metadata: { name: 'claim' },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
      },
    });
    return name;
  });

  await until(() => isGone(`/api/v1/namespaces/${namespace}`));
  expect(await isGone(`/api/v1/namespaces/${namespace}/configmaps/held`)).toBe(true);
});

test('the audit log counts every write since a mark, refused ones too, and no read', async () => {
  await withNamespace(server, async (namespace) => {
    await createConfigMap(namespace, 'before');
    const mark = await server.auditMark();
    await createConfigMap(namespace, 'after');
    await server.expectOk({ method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps/after` });
    await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/configmaps/absent` });

    const here = (await server.auditEntries(mark)).filter((entry) => entry.objectRef?.namespace === namespace);
    expect(here.map(({ verb }) => verb)).toEqual(['create', 'get', 'delete']);
    expect(
      here.filter(isWrite).map(({ verb, user, userAgent, objectRef, responseStatus }) => ({
        write: `${verb} ${objectRef?.resource}/${objectRef?.name}`,
        by: `${user.username} ${userAgent}`,
        status: responseStatus?.code,
      })),
    ).toEqual([
      { write: 'create configmaps/after', by: 'admin evenkeel-test', status: 201 },
      { write: 'delete configmaps/absent', by: 'admin evenkeel-test', status: 404 },
    ]);
  });
});

test('R-5.12 a service account may do what a Role of its namespace grants, and nothing else', async () => {
  await withNamespace(server, async (namespace) => {
    await createConfigMap(namespace, 'granted');
    await createConfigMap(namespace, 'other');
    const token = await serviceAccountToken(server, namespace, 'reader');
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    const read = async (name: string) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
      return (await server.request({ method: 'GET', path, token })).status;
    };
    expect(await read('granted')).toBe(403);

    await server.expectOk({
      method: 'POST',
      path: `${roles}/roles`,
      body: {
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['granted'], verbs: ['get'] }],
      },
    });
    await server.expectOk({
      method: 'POST',
      path: `${roles}/rolebindings`,
      body: {
        metadata: { name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', namespace, name: 'reader' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      },
    });

    // The authorizer watches roles, so it sees a new one a moment later.
    await until(async () => (await read('granted')) === 200);
    expect(await read('other')).toBe(403);
  });
});
