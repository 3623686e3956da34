import { describe, expect, it } from 'vitest';
import { ApiClient, definitions, testServer, widget, widgetDefinition, widgetServer, widgets } from './api-client.ts';

describe('objects of the embedded API server', () => {
  it('R-6.2 a CustomResourceDefinition is established and its kind served as soon as it is created', async () => {
    const client = new ApiClient(testServer());
    const before = await client.get(widgets);
    expect(before.status).toBe(404);
    expect(before.body).toBe('404 page not found\n');

    expect((await client.post(definitions, widgetDefinition())).status).toBe(201);
    const crd = await client.get(`${definitions}/widgets.example.com`);
    expect(crd.body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ]);
    expect((await client.get(widgets)).body).toMatchObject({
      kind: 'WidgetList',
      apiVersion: 'example.com/v1',
      items: [],
    });
  });

  it('R-5.10 the answer for an unknown resource is different from that for a missing object, and has no details', async () => {
    const { client } = await widgetServer();
    expect((await client.get('/api/v1/namespaces/default/gadgets/a')).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    });
    for (const path of [
      '/apis/example.com/v2/widgets',
      '/apis/example.com/v1/gadgets',
      '/apis/none.example.com/v1/a',
    ]) {
      expect(await client.get(path)).toMatchObject({ status: 404, body: '404 page not found\n' });
    }
  });

  it('R-1.12 creation sets identity and generation, and the status endpoint alone writes status', async () => {
    const { client } = await widgetServer();
    const created = await client.post(widgets, { ...widget('a', { size: 1 }), status: { ready: true } });
    expect(created.status).toBe(201);
    expect(created.body.status).toBeUndefined();
    expect(created.body.metadata).toMatchObject({ generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' });
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);

    const status = await client.merge(`${widgets}/a/status`, { spec: { size: 9 }, status: { ready: true } });
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } });
    const spec = await client.merge(`${widgets}/a`, { spec: { size: 2 }, status: { ready: false } });
    expect(spec.body).toMatchObject({ spec: { size: 2 }, status: { ready: true }, metadata: { generation: 2 } });
    const labels = await client.merge(`${widgets}/a`, { metadata: { labels: { tier: 'x' } } });
    expect(labels.body.metadata.generation).toBe(2);
  });

  it('R-1.3 a write that changes nothing leaves the resourceVersion as it is', async () => {
    const { client } = await widgetServer();
    const created = await client.post(widgets, widget('a', { size: 1 }));
    const same = await client.merge(`${widgets}/a`, { spec: { size: 1 } });
    expect(same.body).toEqual(created.body);
  });

  it('R-1.12 a stale resourceVersion is refused with a conflict', async () => {
    const { client } = await widgetServer();
    const { body } = await client.post(widgets, widget('a', { size: 1 }));
    await client.merge(`${widgets}/a`, { spec: { size: 2 } });
    for (const stale of [
      await client.put(`${widgets}/a`, body),
      await client.merge(`${widgets}/a/status`, {
        metadata: { resourceVersion: body.metadata.resourceVersion },
        status: { ready: true },
      }),
    ]) {
      expect(stale.status).toBe(409);
      expect(stale.body).toMatchObject({
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'a', group: 'example.com', kind: 'widgets' },
        code: 409,
      });
    }
  });

  it('R-1.11 a UID in an update is a precondition', async () => {
    const { client } = await widgetServer();
    const { body } = await client.post(widgets, widget('a'));
    await client.delete(`${widgets}/a`);
    const recreated = await client.post(widgets, widget('a'));
    const metadata = { ...body.metadata, resourceVersion: recreated.body.metadata.resourceVersion };
    const answer = await client.put(`${widgets}/a`, { ...body, metadata });
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(`Precondition failed: UID in precondition: ${body.metadata.uid}`);
  });

  it('R-1.18 deletion honours preconditions on UID and resourceVersion', async () => {
    const { client } = await widgetServer();
    const { body } = await client.post(widgets, widget('a'));
    const wrongUid = await client.delete(`${widgets}/a`, { preconditions: { uid: 'other' } });
    expect(wrongUid.status).toBe(409);
    expect(wrongUid.body.message).toContain('the UID in the precondition (other) does not match the UID in record');
    const wrongVersion = await client.delete(`${widgets}/a`, { preconditions: { resourceVersion: '1' } });
    expect(wrongVersion.status).toBe(409);
    const { uid, resourceVersion } = body.metadata;
    const deleted = await client.delete(`${widgets}/a`, { preconditions: { uid, resourceVersion } });
    expect(deleted.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: 'example.com', kind: 'widgets', uid },
    });
    const gone = await client.get(`${widgets}/a`);
    expect(gone.body).toMatchObject({
      message: 'widgets.example.com "a" not found',
      reason: 'NotFound',
      details: { name: 'a', group: 'example.com', kind: 'widgets' },
      code: 404,
    });
  });

  it('R-1.15 a finalizer keeps a deleted object readable until it is removed', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('a', {}, { finalizers: ['example.com/cleanup'] }));
    const deleting = await client.delete(`${widgets}/a`);
    expect(deleting.status).toBe(200);
    expect(deleting.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const again = await client.delete(`${widgets}/a`);
    expect(again.body.metadata.resourceVersion).toBe(deleting.body.metadata.resourceVersion);

    const added = await client.jsonPatch(`${widgets}/a`, [
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/late' },
    ]);
    expect(added.status).toBe(422);
    expect(added.body.message).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}',
    );
    const released = await client.jsonPatch(`${widgets}/a`, [
      { op: 'test', path: '/metadata/finalizers/0', value: 'example.com/cleanup' },
      { op: 'remove', path: '/metadata/finalizers/0' },
    ]);
    expect(released.status).toBe(200);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it('R-1.19 a JSON patch whose test fails changes nothing', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('a', { size: 1 }));
    const answer = await client.jsonPatch(`${widgets}/a`, [
      { op: 'test', path: '/spec/size', value: 7 },
      { op: 'replace', path: '/spec/size', value: 8 },
    ]);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ size: 1 });
  });

  it('R-1.20 creation under a taken name is refused', async () => {
    const { client } = await widgetServer();
    await client.post(widgets, widget('a'));
    const second = await client.post(widgets, widget('a'));
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ reason: 'AlreadyExists', message: 'widgets.example.com "a" already exists' });
  });
});
