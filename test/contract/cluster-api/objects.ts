import { expect, it } from 'vitest';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, gadget, manager, nameOf } from './world.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

export const describeObjects = area('an object', (world) => {
  it('R-1.11 is created with a UID, a version, generation 1 and a time, and reads back the same', async () => {
    const namespace = await world().namespace();
    const created = await world().createGadget(namespace, 'a', { spec: { note: 'hello' } });
    expect(created).toMatchObject({
      apiVersion: 'contract.evenkeel.dev/v1',
      kind: 'Gadget',
      metadata: {
        name: 'a',
        namespace,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/),
        generation: 1,
        creationTimestamp: expect.stringMatching(TIMESTAMP),
      },
      spec: { size: 1, note: 'hello' },
    });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(created);
  });

  it('R-1.13 records who created it', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'contract',
        operation: 'Update',
        apiVersion: 'contract.evenkeel.dev/v1',
        time: expect.stringMatching(TIMESTAMP),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:color': {}, 'f:limit': {}, 'f:size': {} } },
      },
    ]);
  });

  it('of a built-in kind has no generation, and its data as it was given', async () => {
    const created = await world().createConfigMap(await world().namespace(), 'a', { data: { key: 'välue' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'välue' } });
    expect(created.metadata).not.toHaveProperty('generation');
  });

  it('of the kind Secret has its string data encoded', async () => {
    const namespace = await world().namespace();
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'a' },
      stringData: { password: 'hunter2' },
    };
    const created = await world().api.create(Secrets, secret, manager);
    expect(created).toMatchObject({ type: 'Opaque', data: { password: 'aHVudGVyMg==' } });
    expect(created).not.toHaveProperty('stringData');
  });

  it('is not created a second time', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const again = world().createGadget(created.metadata.namespace ?? '', 'a');
    await expect(again).rejects.toMatchObject({ reason: 'AlreadyExists', status: 409 });
  });

  it('R-1.11 created again under the same name is another one', async () => {
    const namespace = await world().namespace();
    const first = await world().createGadget(namespace, 'a');
    await world().api.delete(Gadgets, nameOf(first), { preconditions: { uid: first.metadata.uid } });
    const second = await world().createGadget(namespace, 'a');
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
  });

  it('is not created in a namespace that does not exist', async () => {
    await expect(world().createGadget('no-such-namespace', 'a')).rejects.toMatchObject({
      reason: 'NotFound',
      message: expect.stringContaining('the namespace no-such-namespace does not exist'),
    });
    await expect(world().createConfigMap('no-such-namespace', 'a')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it.each(['UPPER', 'under_score', '-dash', 'x'.repeat(254)])('is not created under the name %s', async (name) => {
    const namespace = await world().namespace();
    await expect(world().createGadget(namespace, name)).rejects.toMatchObject({ reason: 'Invalid', status: 422 });
  });

  it('gets a name from generateName', async () => {
    const namespace = await world().namespace();
    const { json, status } = await world().raw('POST', gadgetsPath(namespace), {
      apiVersion: 'contract.evenkeel.dev/v1',
      kind: 'Gadget',
      metadata: { generateName: 'made-' },
      spec: { size: 1 },
    });
    expect(status).toBe(201);
    expect(json.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
  });

  it('R-1.17 that is absent is NotFound', async () => {
    const absent = { namespace: await world().namespace(), name: 'absent' };
    for (const type of [Gadgets, ConfigMaps]) {
      await expect(world().api.get(type, absent)).rejects.toMatchObject({ reason: 'NotFound', status: 404 });
      await expect(world().api.get(type, absent, { metadataOnly: true })).rejects.toMatchObject({ reason: 'NotFound' });
    }
    const nowhere = { namespace: 'no-such-namespace', name: 'absent' };
    await expect(world().api.get(Gadgets, nowhere)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('without namespaces is named by its name alone', async () => {
    const namespace = await world().namespace();
    const read = await world().api.get(Namespaces, { namespace: '', name: namespace });
    expect(read).toMatchObject({ kind: 'Namespace', status: { phase: 'Active' } });
    expect(read.metadata).not.toHaveProperty('namespace');
  });
});

export const describeGenerations = area('R-1.14 the generation of an object', (world) => {
  const patched = async (patch: Record<string, never> | object, subresource?: 'status') => {
    const namespace = await world().namespace();
    const before = await world().createGadget(namespace, 'a', { spec: { options: { a: '1' } } });
    const options = subresource === undefined ? manager : { ...manager, subresource };
    const body = { type: 'merge' as const, patch: JSON.parse(JSON.stringify(patch)) };
    return { before, after: await world().api.patch(Gadgets, nameOf(before), body, options) };
  };

  it('rises with a change of the spec', async () => {
    const { after } = await patched({ spec: { size: 2 } });
    expect(after.metadata.generation).toBe(2);
  });

  it.each([
    ['labels', { metadata: { labels: { a: 'b' } } }],
    ['annotations', { metadata: { annotations: { a: 'b' } } }],
    ['finalizers', { metadata: { finalizers: ['contract.evenkeel.dev/x'] } }],
  ])('stays with a change of %s, which does change the version', async (_, patch) => {
    const { before, after } = await patched(patch);
    expect(after.metadata.generation).toBe(1);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  });

  it('stays with a change of the status', async () => {
    const { before, after } = await patched({ status: { phase: 'Ready' } }, 'status');
    expect(after).toMatchObject({ metadata: { generation: 1 }, status: { phase: 'Ready' } });
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
  });

  it.each([
    ['nothing', {}],
    ['the same values', { spec: { size: 1, options: { a: '1' } } }],
    ['the removal of what is not there', { spec: { note: null } }],
    ['a field that is pruned', { spec: { unknown: 1 } }],
  ])('R-1.3 and the version both stay with a patch of %s', async (_, patch) => {
    const { before, after } = await patched(patch);
    expect(after).toEqual(before);
  });

  it('cannot be set', async () => {
    const namespace = await world().namespace();
    const metadata = { generation: 7, uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' };
    const created = await world().api.create(Gadgets, gadget(namespace, 'a', { metadata }), manager);
    expect(created.metadata).toMatchObject({ generation: 1 });
    expect(created.metadata.uid).not.toBe('mine');
    expect(created.metadata.creationTimestamp).not.toBe('2020-01-01T00:00:00Z');
  });
});
