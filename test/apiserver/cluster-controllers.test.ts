import { describe, expect, it } from 'vitest';
import type { ApiServer } from '../../lib/apiserver/api-server.ts';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { ApiClient, testServer } from './api-client.ts';

const inDefault = '/api/v1/namespaces/default';
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
};

function claim(name: string, storage = '1Gi'): JsonObject {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'shared', resources: { requests: { storage } } },
  };
}

function pod(name: string, claimName?: string): JsonObject {
  const volumes = claimName === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName } }];
  return { metadata: { name }, spec: { ...template.spec, volumes } };
}

function start(): { server: ApiServer; client: ApiClient } {
  const server = testServer();
  return { server, client: new ApiClient(server) };
}

describe('stand-ins for cluster controllers', () => {
  it('R-3.1 a Deployment becomes available at its generation, also after it was scaled', async () => {
    const { server, client } = start();
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
    await client.post(deployments, { metadata: { name: 'web' }, spec });
    await server.idle();
    expect((await client.get(`${deployments}/web`)).body.status).toEqual({});
    server.controllers.switchOn('deployments');
    await server.idle();
    await client.merge(`${deployments}/web`, { spec: { replicas: 3 } });
    await server.idle();
    const { body } = await client.get(`${deployments}/web`);
    expect(body.status).toMatchObject({ observedGeneration: 2, replicas: 3, readyReplicas: 3, availableReplicas: 3 });
    expect(body.status.conditions).toMatchObject([
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'True' },
    ]);
    const { resourceVersion } = body.metadata;
    await server.idle();
    expect((await client.get(`${deployments}/web`)).body.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('R-4.6 a claim is bound once its StorageClass exists, and grows where the class allows it', async () => {
    const { server, client } = start();
    server.controllers.switchOn();
    await client.post(`${inDefault}/persistentvolumeclaims`, claim('data', '1024Mi'));
    await server.idle();
    expect((await client.get(`${inDefault}/persistentvolumeclaims/data`)).body.status).toEqual({ phase: 'Pending' });
    await client.post(classes, {
      metadata: { name: 'shared' },
      provisioner: 'example.com/nfs',
      allowVolumeExpansion: true,
    });
    await server.idle();
    const bound = (await client.get(`${inDefault}/persistentvolumeclaims/data`)).body;
    expect(bound.status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' } });
    expect(bound.spec.volumeName).toBe(`pvc-${bound.metadata.uid}`);
    expect((await client.get(`/api/v1/persistentvolumes/${bound.spec.volumeName}`)).body).toMatchObject({
      spec: { claimRef: { name: 'data', uid: bound.metadata.uid } },
      status: { phase: 'Bound' },
    });

    await client.merge(`${inDefault}/persistentvolumeclaims/data`, {
      spec: { resources: { requests: { storage: '2Gi' } } },
    });
    await server.idle();
    expect((await client.get(`${inDefault}/persistentvolumeclaims/data`)).body.status.capacity.storage).toBe('2Gi');
    const shrunk = await client.merge(`${inDefault}/persistentvolumeclaims/data`, {
      spec: { resources: { requests: { storage: '1Gi' } } },
    });
    expect(shrunk.body).toMatchObject({
      code: 422,
      message: expect.stringContaining('field can not be less than status.capacity'),
    });
    await client.delete(`${inDefault}/persistentvolumeclaims/data`);
    await server.idle();
    expect((await client.get('/api/v1/persistentvolumes')).body.items).toEqual([]);
  });

  it('R-4.6 a class that waits for its first consumer binds when a Pod mounts the claim', async () => {
    const { server, client } = start();
    server.controllers.switchOn();
    const metadata = { name: 'shared' };
    await client.post(classes, { metadata, provisioner: 'x.example.com', volumeBindingMode: 'WaitForFirstConsumer' });
    await client.post(`${inDefault}/persistentvolumeclaims`, claim('data'));
    await server.idle();
    expect((await client.get(`${inDefault}/persistentvolumeclaims/data`)).body.status.phase).toBe('Pending');
    await client.post(`${inDefault}/pods`, pod('user', 'data'));
    await server.idle();
    expect((await client.get(`${inDefault}/persistentvolumeclaims/data`)).body.status.phase).toBe('Bound');
    expect((await client.get(`${inDefault}/pods/user`)).body.status.phase).toBe('Running');
  });

  it('R-4.3 a Pod runs, and its graceful deletion ends', async () => {
    const { server, client } = start();
    server.controllers.switchOn('pods');
    await client.post(`${inDefault}/pods`, pod('one'));
    await server.idle();
    const { body } = await client.get(`${inDefault}/pods/one`);
    expect(body.spec.nodeName).toBe('embedded');
    expect(body.status).toMatchObject({ phase: 'Running', containerStatuses: [{ name: 'web', ready: true }] });
    expect(body.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));

    server.controllers.switchOff('pods');
    const deleted = await client.delete(`${inDefault}/pods/one`);
    expect(deleted.body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 30,
      deletionTimestamp: '2026-01-01T00:00:30Z',
    });
    server.controllers.switchOn('pods');
    await server.idle();
    expect((await client.get(`${inDefault}/pods/one`)).status).toBe(404);
  });

  it('R-4.6 a Pod whose claim is not bound stays pending', async () => {
    const { server, client } = start();
    server.controllers.switchOn();
    await client.post(`${inDefault}/pods`, pod('waiting', 'missing'));
    await server.idle();
    const { status } = (await client.get(`${inDefault}/pods/waiting`)).body;
    expect(status).toMatchObject({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False' }] });
  });

  it.each(['default', 'before', 'after'])(
    'R-5.18 namespace %s has a service account default, which is made again when it is deleted, and gives out tokens',
    async (namespace) => {
      const { server, client } = start();
      const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
      if (namespace === 'before') await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
      server.controllers.switchOn();
      if (namespace === 'after') await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
      await server.idle();
      const { body } = await client.get(account);
      expect(body.metadata).toMatchObject({ name: 'default', namespace });
      await client.delete(account);
      await server.idle();
      const again = await client.get(account);
      expect(again.body.metadata.uid).not.toBe(body.metadata.uid);
      const token = await client.post(`${account}/token`, { spec: {} });
      expect(token).toMatchObject({ status: 201, body: { status: { token: expect.any(String) } } });
    },
  );

  it('R-5.18 a namespace with a service account default can be deleted', async () => {
    const { server, client } = start();
    server.controllers.switchOn();
    await client.post('/api/v1/namespaces', { metadata: { name: 'gone' } });
    await server.idle();
    await client.delete('/api/v1/namespaces/gone');
    await server.idle();
    expect((await client.get('/api/v1/namespaces/gone')).status).toBe(404);
  });
});
