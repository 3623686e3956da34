import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '../real-apiserver/connect-api-server.ts';
import { type RealApiServer, startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { withNamespace } from '../real-apiserver/with-namespace.ts';

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubernetesObject[];
}

let server: RealApiServer;

beforeAll(async () => {
  server = await startRealApiServer();
});

afterAll(async () => {
  await server.stop();
});

async function createConfigMap(namespace: string, name: string): Promise<KubernetesObject> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return (await server.expectOk({ method: 'POST', path, body: { metadata: { name } } })).json();
}

async function list(namespace: string, query = ''): Promise<List> {
  const path = `/api/v1/namespaces/${namespace}/configmaps${query}`;
  return (await server.expectOk({ method: 'GET', path })).json<List>();
}

test('R-5.7 after a compaction older versions and continue tokens are answered 410, and the present is not', async () => {
  await withNamespace(server, async (namespace) => {
    await createConfigMap(namespace, 'a');
    await createConfigMap(namespace, 'b');
    const before = await list(namespace, '?limit=1');
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const watchFromBefore = `${path}?watch=1&timeoutSeconds=1&resourceVersion=${before.metadata.resourceVersion}`;
    await createConfigMap(namespace, 'c');
    const served = await server.expectOk({ method: 'GET', path: watchFromBefore });
    expect(JSON.parse(served.text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'c' } } });

    const oldest = await server.compact();

    expect(oldest).toBeGreaterThan(Number(before.metadata.resourceVersion));
    const watched = await server.expectOk({ method: 'GET', path: watchFromBefore });
    expect(JSON.parse(watched.text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    const next = `${path}?limit=1&continue=${before.metadata.continue}`;
    expect((await server.request({ method: 'GET', path: next })).status).toBe(410);
    const now = await list(namespace);
    expect(now.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    const again = `${path}?watch=1&timeoutSeconds=1&resourceVersion=${now.metadata.resourceVersion}`;
    expect((await server.expectOk({ method: 'GET', path: again })).text).toBe('');
  });
});

test('a control plane that crashed and came back has the same address, identities and content', async () => {
  await withNamespace(server, async (namespace) => {
    const kept = await createConfigMap(namespace, 'kept');
    const { pid } = server;
    await server.restart();

    expect((await list(namespace)).items.map(({ metadata }) => metadata)).toEqual([kept.metadata]);
    expect(server.pid).toBe(pid);
  });
});

test('R-5.8 a control plane restored from a snapshot knows nothing newer, and its versions went back', async () => {
  await withNamespace(server, async (namespace) => {
    const old = await createConfigMap(namespace, 'old');
    const snapshot = await server.snapshot();
    // More writes than the server makes when it boots.
    for (let i = 0; i < 50; i += 1) {
      await createConfigMap(namespace, `young-${i}`);
    }
    const before = await list(namespace);

    await server.restart({ restoreFrom: snapshot });

    const after = await list(namespace);
    expect(after.items.map(({ metadata }) => metadata)).toEqual([old.metadata]);
    expect(Number(after.metadata.resourceVersion)).toBeLessThan(Number(before.metadata.resourceVersion));
    const reused = await createConfigMap(namespace, 'young-0');
    expect(Number(reused.metadata.resourceVersion)).toBeGreaterThan(Number(old.metadata.resourceVersion));
  });
});

test('a command that cannot be carried out is answered with the reason, and the server goes on', async () => {
  await expect(server.restart({ restoreFrom: '/does/not/exist' })).rejects.toThrow(/could not restart: .*not\/exist/);
  expect((await server.request({ method: 'GET', path: '/readyz' })).status).toBe(200);
});

test('a control plane ends cleanly on SIGTERM while a client watches', async () => {
  const own = await startRealApiServer();
  const watch = own.request({ method: 'GET', path: '/api/v1/configmaps?watch=1&timeoutSeconds=600' }).catch(() => {});
  await own.request({ method: 'GET', path: '/readyz' });
  process.kill(own.pid, 'SIGTERM');

  await own.exited;
  await own.stop();
  await watch;
  expect(await own.exited).toBe(0);
  await expect(access(dirname(own.caFile))).rejects.toThrow('ENOENT');
});
