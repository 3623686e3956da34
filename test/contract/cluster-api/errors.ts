import { expect, it } from 'vitest';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, configMap, gadget, manager } from './world.ts';

export const describeMissingKinds = area('R-5.10 a kind that is not served', (world) => {
  const missing: [string, ResourceType][] = [
    ['an unknown group', { ...Gadgets, group: 'missing.evenkeel.dev' }],
    ['an unknown version', { ...Gadgets, version: 'v9' }],
    ['an unknown resource of a known group', { ...Gadgets, plural: 'gizmos', kind: 'Gizmo' }],
    ['an unknown resource of the core group', { ...Secrets, plural: 'gizmos', kind: 'Gizmo' }],
  ];

  it.each(missing)('for %s is KindMissing to every verb, never an absence', async (_, type) => {
    const namespace = await world().namespace();
    const name = { namespace, name: 'a' };
    const kindMissing = { reason: 'KindMissing', status: 404 };
    const { api } = world();
    await expect(api.get(type, name)).rejects.toMatchObject(kindMissing);
    await expect(api.get(type, name, { metadataOnly: true })).rejects.toMatchObject(kindMissing);
    await expect(api.list(type)).rejects.toMatchObject(kindMissing);
    await expect(api.list(type, { namespace, metadataOnly: true })).rejects.toMatchObject(kindMissing);
    await expect(api.create(type, gadget(namespace, 'a'), manager)).rejects.toMatchObject(kindMissing);
    await expect(api.patch(type, name, { type: 'merge', patch: {} }, manager)).rejects.toMatchObject(kindMissing);
    await expect(api.delete(type, name, { preconditions: { uid: 'u' } })).rejects.toMatchObject(kindMissing);
    const watching = (async () => {
      for await (const _ of api.watch(type, { resourceVersion: '1', timeoutSeconds: 1 })) break;
    })();
    await expect(watching).rejects.toMatchObject(kindMissing);
  });
});

export const describeErrorBodies = area('R-6.4 an error', (world) => {
  it('for an absent object names it in its details', async () => {
    const namespace = await world().namespace();
    const custom = await world().raw('GET', gadgetsPath(namespace, '/absent'));
    expect(custom.status).toBe(404);
    expect(custom.headers['content-type']).toContain('application/json');
    expect(custom.json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'gadgets.contract.evenkeel.dev "absent" not found',
      reason: 'NotFound',
      details: { name: 'absent', group: 'contract.evenkeel.dev', kind: 'gadgets' },
      code: 404,
    });
    const core = await world().raw('GET', `/api/v1/namespaces/${namespace}/configmaps/absent`);
    expect(core.json.details).toEqual({ name: 'absent', kind: 'configmaps' });
  });

  it('for an existing object names it in its details', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a');
    const { json } = await world().raw('POST', gadgetsPath(namespace), gadget(namespace, 'a'));
    expect(json).toMatchObject({
      reason: 'AlreadyExists',
      code: 409,
      details: { name: 'a', group: 'contract.evenkeel.dev', kind: 'gadgets' },
    });
  });

  it('for what is forbidden is a Status with the object and code 403', async () => {
    const { json, status } = await world().raw('DELETE', '/api/v1/namespaces/kube-system');
    expect(status).toBe(403);
    expect(json).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'Forbidden',
      details: { name: 'kube-system', kind: 'namespaces' },
      code: 403,
    });
  });

  it('for a body that is no JSON, or not of the type and place of its path, is a 400 or a 422', async () => {
    const namespace = await world().namespace();
    const cut = await world().raw('POST', gadgetsPath(namespace), '{"apiVersion":');
    expect(cut).toMatchObject({ status: 400, json: { reason: 'BadRequest' } });
    const kind = { ...gadget(namespace, 'a'), kind: 'Gizmo' };
    await expect(world().raw('POST', gadgetsPath(namespace), kind)).resolves.toMatchObject({ status: 422 });
    const version = { ...gadget(namespace, 'a'), apiVersion: 'other.evenkeel.dev/v1' };
    await expect(world().raw('POST', gadgetsPath(namespace), version)).resolves.toMatchObject({ status: 400 });
    const elsewhere = await world().raw('POST', gadgetsPath(namespace), gadget('default', 'a'));
    expect(elsewhere).toMatchObject({ status: 400, json: { reason: 'BadRequest' } });
  });

  it('for media types that are not served is a 406 or a 415', async () => {
    const namespace = await world().namespace();
    const accept = await world().raw('GET', gadgetsPath(namespace), undefined, { accept: 'text/html' });
    expect(accept.status).toBe(406);
    const sent = await world().raw('POST', gadgetsPath(namespace), '<gadget/>', { 'content-type': 'text/html' });
    expect(sent.status).toBe(415);
    const patch = await world().raw('PATCH', gadgetsPath(namespace, '/a'), {}, { 'content-type': 'application/json' });
    expect(patch.status).toBe(415);
  });

  it('is none for a new object without a media type, which counts as JSON', async () => {
    const namespace = await world().namespace();
    const text = JSON.stringify(gadget(namespace, 'a'));
    const response = await world().target.transport.send({
      method: 'POST',
      path: gadgetsPath(namespace),
      headers: { accept: 'application/json' },
      body: text,
    });
    expect([response.status, JSON.parse(await response.text()).metadata.name]).toEqual([201, 'a']);
  });

  it('for a method that a path does not take is a 405', async () => {
    const namespace = await world().namespace();
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    const notAllowed = { status: 405, json: { reason: 'MethodNotAllowed' } };
    await expect(world().raw('POST', `${configMaps}/a`, configMap(namespace, 'a'))).resolves.toMatchObject(notAllowed);
    await expect(world().raw('PUT', configMaps, configMap(namespace, 'a'))).resolves.toMatchObject(notAllowed);
  });
});

export const describeAuthentication = area('R-5.24 a request with a token that the server does not know', (world) => {
  it.each([
    ['GET', '/api/v1/namespaces/default'],
    ['GET', '/apis'],
    ['DELETE', '/api/v1/namespaces/absent'],
  ] as const)('%s %s is answered Unauthorized, and by nothing else', async (method, path) => {
    const impostor = world().target.withToken?.('another');
    if (impostor === undefined) return;
    const response = await impostor.send({ method, path, headers: { accept: 'application/json' } });
    expect(response.status).toBe(401);
    expect(JSON.parse(await response.text())).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
    await impostor.close();
  });
});

export const describeAuthorization = area('R-5.12 a user without permission', (world) => {
  it('is Forbidden every verb, of kinds that exist or not', async () => {
    const { stranger } = world().target;
    if (stranger === undefined) throw new Error('a target that authorizes has a stranger');
    const name = { namespace: await world().namespace(), name: 'a' };
    const forbidden = { reason: 'Forbidden', status: 403 };
    await expect(stranger.get(Secrets, name)).rejects.toMatchObject(forbidden);
    await expect(stranger.list(Secrets)).rejects.toMatchObject(forbidden);
    await expect(stranger.create(Gadgets, gadget(name.namespace, 'a'), manager)).rejects.toMatchObject(forbidden);
    await expect(stranger.patch(Gadgets, name, { type: 'merge', patch: {} }, manager)).rejects.toMatchObject(forbidden);
    await expect(stranger.delete(Gadgets, name, { preconditions: { uid: 'u' } })).rejects.toMatchObject(forbidden);
    await expect(stranger.get({ ...Gadgets, plural: 'gizmos' }, name)).rejects.toMatchObject(forbidden);
    const watching = (async () => {
      for await (const _ of stranger.watch(Gadgets, { resourceVersion: '1', timeoutSeconds: 1 })) break;
    })();
    await expect(watching).rejects.toMatchObject(forbidden);
  });
});
