import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../lib/apiserver/api-server.ts';

describe('a server that holds a part of a cluster', () => {
  it('R-1.20 garbage collector keeps a loaded object when its owner was not loaded', async () => {
    const parts = { clock: () => 0, newUid: () => 'new', random: () => 0 };
    const server = new ApiServer({ ...parts, partOfCluster: { afterRevision: 1_000 } });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'owner-uid' };
    const metadata = { namespace: 'default', name: 'a', uid: 'a-uid', resourceVersion: '7' };
    server.load({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'n', resourceVersion: '1' } });
    server.load({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const path = '/api/v1/namespaces/default/configmaps/a';
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ metadata: { ownerReferences: [owner] } });
    expect((await server.send({ method: 'PATCH', path, headers, body })).status).toBe(200);
    await server.idle();
    const read = await server.send({ method: 'GET', path, headers: {} });
    expect(read.status).toBe(200);
    const { metadata: kept } = JSON.parse(await read.text());
    expect(kept).toMatchObject({ uid: 'a-uid', resourceVersion: '1001' });
  });
});
