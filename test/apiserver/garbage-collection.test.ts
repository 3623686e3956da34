import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { type ApiClient, definitions, widget, widgetServer, widgets } from './api-client.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

interface Owner {
  readonly name: string;
  readonly uid: string;
}

function reference({ name, uid }: Owner, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', name, uid, ...more };
}

async function createOwner(client: ApiClient, name: string, metadata: JsonObject = {}): Promise<Owner> {
  const { body } = await client.post(widgets, widget(name, {}, metadata));
  return { name, uid: body.metadata.uid };
}

async function createOwned(client: ApiClient, name: string, references: JsonObject[], metadata: JsonObject = {}) {
  return client.post(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ownerReferences: references, ...metadata },
  });
}

describe('garbage collection of the embedded API server', () => {
  it('R-1.20 dependents go after their owner, and dependents of dependents after them', async () => {
    const { server, client } = await widgetServer();
    const owner = await createOwner(client, 'owner');
    const middle = await client.post(widgets, widget('middle', {}, { ownerReferences: [reference(owner)] }));
    await createOwned(client, 'leaf', [reference({ name: 'middle', uid: middle.body.metadata.uid })]);
    await createOwned(client, 'free', []);
    await client.delete(`${widgets}/owner`);
    await server.idle();
    expect((await client.get(configMaps)).body.items).toMatchObject([{ metadata: { name: 'free' } }]);
    expect((await client.get(widgets)).body.items).toEqual([]);
  });

  it('R-1.11 an owner of the same name with another UID does not keep a dependent', async () => {
    const { server, client } = await widgetServer();
    const owner = await createOwner(client, 'owner');
    await createOwned(client, 'leaf', [reference({ ...owner, uid: 'another' })]);
    await server.idle();
    expect((await client.get(`${configMaps}/leaf`)).status).toBe(404);
  });

  it('R-1.17 an owner whose kind is not served proves nothing', async () => {
    const { server, client } = await widgetServer();
    await createOwned(client, 'leaf', [{ apiVersion: 'example.com/v9', kind: 'Gadget', name: 'g', uid: 'u' }]);
    await server.idle();
    expect((await client.get(`${configMaps}/leaf`)).status).toBe(200);
  });

  it('a dependent with another living owner keeps that owner and loses the others', async () => {
    const { server, client } = await widgetServer();
    const [going, staying] = [await createOwner(client, 'going'), await createOwner(client, 'staying')];
    await createOwned(client, 'leaf', [reference(going), reference(staying)]);
    await client.delete(`${widgets}/going`);
    await server.idle();
    const { body } = await client.get(`${configMaps}/leaf`);
    expect(body.metadata.ownerReferences).toEqual([reference(staying)]);
  });

  it('a foreground deletion waits for the dependents that block it', async () => {
    const { server, client } = await widgetServer();
    const owner = await createOwner(client, 'owner');
    const held = { finalizers: ['example.com/hold'] };
    await createOwned(client, 'blocking', [reference(owner, { blockOwnerDeletion: true })], held);
    await createOwned(client, 'other', [reference(owner)], held);
    const answer = await client.delete(`${widgets}/owner`, { propagationPolicy: 'Foreground' });
    expect(answer.body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await server.idle();
    for (const name of ['blocking', 'other']) {
      expect((await client.get(`${configMaps}/${name}`)).body.metadata.deletionTimestamp).toBeDefined();
    }
    expect((await client.get(`${widgets}/owner`)).status).toBe(200);

    await client.merge(`${configMaps}/blocking`, { metadata: { finalizers: null } });
    await server.idle();
    expect((await client.get(`${widgets}/owner`)).status).toBe(404);
    expect((await client.get(`${configMaps}/other`)).status).toBe(200);
  });

  it('an orphaning deletion frees the dependents before the owner goes', async () => {
    const { server, client } = await widgetServer();
    const owner = await createOwner(client, 'owner');
    await createOwned(client, 'leaf', [reference(owner)]);
    await client.delete(`${widgets}/owner?propagationPolicy=Orphan`);
    await server.idle();
    expect((await client.get(`${widgets}/owner`)).status).toBe(404);
    const { body } = await client.get(`${configMaps}/leaf`);
    expect(body.metadata.ownerReferences).toBeUndefined();
  });

  it('a dependent in another namespace does not find its owner there and goes', async () => {
    const { server, client } = await widgetServer();
    const owner = await createOwner(client, 'owner');
    const elsewhere = configMaps.replace('default', 'kube-system');
    await client.post(elsewhere, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'leaf', ownerReferences: [reference(owner)] },
    });
    await server.idle();
    expect((await client.get(`${elsewhere}/leaf`)).status).toBe(404);
  });

  it('collects nothing while it is switched off', async () => {
    const { server, client } = await widgetServer();
    server.garbageCollector.enabled = false;
    const owner = await createOwner(client, 'owner');
    await createOwned(client, 'leaf', [reference(owner)]);
    await client.delete(`${widgets}/owner`);
    await server.idle();
    expect((await client.get(`${configMaps}/leaf`)).status).toBe(200);
    server.garbageCollector.enabled = true;
    await server.idle();
    expect((await client.get(`${configMaps}/leaf`)).status).toBe(404);
  });

  it('deleting a CustomResourceDefinition removes its objects, finalizers honoured, then the kind', async () => {
    const { client } = await widgetServer();
    await createOwner(client, 'free');
    await createOwner(client, 'held', { finalizers: ['example.com/hold'] });
    const watching = await client.watch(
      `${widgets}?resourceVersion=${(await client.get(widgets)).body.metadata.resourceVersion}`,
    );
    const crd = `${definitions}/widgets.example.com`;
    await client.delete(crd);
    expect((await client.get(widgets)).body.items).toMatchObject([{ metadata: { name: 'held' } }]);
    const refused = await client.post(widgets, widget('late'));
    expect(refused.body).toMatchObject({
      code: 403,
      message:
        'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    });
    expect((await client.get(crd)).body.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Terminating', status: 'True' }),
    );

    await client.merge(`${widgets}/held`, { metadata: { finalizers: null } });
    expect((await client.get(crd)).status).toBe(404);
    expect((await client.get(widgets)).status).toBe(404);
    expect(await watching.take(3)).toMatchObject([{ type: 'DELETED' }, { type: 'MODIFIED' }, { type: 'DELETED' }]);
    expect(await watching.next()).toBeUndefined();
  });
});
