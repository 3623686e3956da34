import { describe, expect, it } from 'vitest';
import { widget, widgetServer, widgets } from './api-client.ts';

const apply = (name: string, manager: string, more = ''): string => `${widgets}/${name}?fieldManager=${manager}${more}`;

describe('server-side apply on the embedded API server', () => {
  it('R-1.13 creates, then writes nothing when nothing changes', async () => {
    const { client } = await widgetServer();
    const created = await client.apply(apply('a', 'one'), widget('a', { size: 1 }));
    expect(created.status).toBe(201);
    expect(created.body.metadata.managedFields).toEqual([
      expect.objectContaining({ manager: 'one', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } }),
    ]);
    const again = await client.apply(apply('a', 'one'), widget('a', { size: 1 }));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(created.body);
  });

  it('R-1.13 reports conflicts with other managers and takes their fields by force', async () => {
    const { client } = await widgetServer();
    await client.apply(apply('a', 'one'), widget('a', { size: 1 }));
    const conflict = await client.apply(apply('a', 'two'), widget('a', { size: 2 }));
    expect(conflict.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.size',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.size', message: 'conflict with "one"' }] },
    });
    const forced = await client.apply(apply('a', 'two', '&force=true'), widget('a', { size: 2 }));
    expect(forced.body.spec).toEqual({ size: 2 });
  });

  it('R-1.13 removes fields that the manager does not apply any more, and keeps fields of others', async () => {
    const { client } = await widgetServer();
    await client.apply(apply('a', 'one'), widget('a', { size: 1, colour: 'red' }));
    await client.merge(`${widgets}/a`, { spec: { other: true } });
    const { body } = await client.apply(apply('a', 'one'), widget('a', { size: 1 }));
    expect(body.spec).toEqual({ size: 1, other: true });
  });

  it('R-1.12 keeps to a resourceVersion in the configuration', async () => {
    const { client } = await widgetServer();
    const { body } = await client.apply(apply('a', 'one'), widget('a', { size: 1 }));
    await client.merge(`${widgets}/a`, { spec: { other: true } });
    const { resourceVersion } = body.metadata;
    const stale = await client.apply(apply('a', 'one'), widget('a', { size: 2 }, { resourceVersion }));
    expect(stale.body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('R-1.12 applies status through its endpoint, and creates nothing there', async () => {
    const { client } = await widgetServer();
    const status = { ...widget('a'), status: { ready: true } };
    const path = `${widgets}/a/status?fieldManager=one`;
    expect((await client.apply(path, status)).status).toBe(404);
    await client.post(widgets, widget('a', { size: 1 }));
    const { body } = await client.apply(path, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      status: { ready: true },
    });
    expect(body).toMatchObject({ spec: { size: 1 }, status: { ready: true } });
  });

  it('R-6.4 names what is missing in an apply', async () => {
    const { client } = await widgetServer();
    expect((await client.apply(`${widgets}/a`, widget('a'))).body).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    });
    expect((await client.apply(apply('a', 'one'), widget('b'))).body).toMatchObject({ code: 400 });
    expect((await client.apply(apply('a', 'one'), { metadata: { name: 'a' } })).body).toMatchObject({
      code: 400,
      message: 'invalid object type: /, Kind=',
    });
  });

  it('R-1.13 YAML configurations are read, and a dry run stores nothing', async () => {
    const { client } = await widgetServer();
    const yaml = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 3}\n';
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const dry = await client.request('PATCH', apply('a', 'one', '&dryRun=All'), yaml, headers);
    expect(dry.body.spec).toEqual({ size: 3 });
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });
});
