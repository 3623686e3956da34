import { expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, manager, nameOf, type World } from './world.ts';

const merge = (world: World, object: KubeObject, patch: JsonObject, subresource?: 'status') =>
  world.api.patch(
    Gadgets,
    nameOf(object),
    { type: 'merge', patch },
    subresource === undefined ? manager : { ...manager, subresource },
  );

const json = (world: World, object: KubeObject, ...patch: JsonValue[]) =>
  world.api.patch(Gadgets, nameOf(object), { type: 'json', patch }, manager);

export const describeMergePatches = area('R-1.13 a merge patch', (world) => {
  it('sets what it names, removes what it names null, replaces lists and leaves the rest', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', {
      spec: { note: 'old', options: { a: '1', b: '2' }, tags: ['x', 'y'], color: 'red' },
    });
    const patch = { spec: { note: null, options: { b: '3', c: '4' }, tags: ['z'] } };
    const { spec } = await merge(world(), created, patch);
    expect(spec).toEqual({ size: 1, limit: 10, color: 'red', options: { a: '1', b: '3', c: '4' }, tags: ['z'] });
  });

  it('R-6.11 is answered with its effect and stores nothing when it is a dry run', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const dry = { ...manager, dryRun: true } as const;
    const patch = { spec: { size: 7 } };
    const answered = await world().api.patch(Gadgets, nameOf(created), { type: 'merge', patch }, dry);
    expect(answered.spec).toMatchObject({ size: 7 });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(created);
  });

  it('of an absent object is NotFound', async () => {
    const absent = { namespace: await world().namespace(), name: 'absent' };
    const patching = world().api.patch(Gadgets, absent, { type: 'merge', patch: {} }, manager);
    await expect(patching).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('R-1.12 with the version that was read goes through, with an older one it is a Conflict', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const guarded = (size: number) => ({
      metadata: { uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion },
      spec: { size },
    });
    const patched = await merge(world(), created, guarded(2));
    expect(patched.spec).toMatchObject({ size: 2 });
    await expect(merge(world(), created, guarded(3))).rejects.toMatchObject({ reason: 'Conflict', status: 409 });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(patched);
  });

  it('R-1.12 with an older version is a Conflict even if it would change nothing', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await merge(world(), created, { spec: { size: 2 } });
    const { resourceVersion } = created.metadata;
    const stale = { metadata: { resourceVersion }, spec: { size: 2 } };
    await expect(merge(world(), created, stale)).rejects.toMatchObject({ reason: 'Conflict' });
  });

  it('R-1.11 with another UID is refused, and as a Conflict when it carries the version of that other object', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await world().api.delete(Gadgets, nameOf(created), { preconditions: { uid: created.metadata.uid } });
    const anew = await world().createGadget(created.metadata.namespace ?? '', 'a');
    const { uid, resourceVersion } = created.metadata;
    const late = (metadata: JsonObject) => merge(world(), created, { metadata, spec: { size: 2 } });
    await expect(late({ uid })).rejects.toMatchObject({ reason: 'Invalid' });
    await expect(late({ uid, resourceVersion })).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(world().api.get(Gadgets, nameOf(anew))).resolves.toEqual(anew);
  });

  it('R-1.12 the version it returns is that of its own change', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const patched = await merge(world(), created, { spec: { size: 2 } });
    const { resourceVersion } = created.metadata;
    const events = await world().watchUntil(
      { resourceVersion, namespace: patched.metadata.namespace ?? '' },
      () => true,
    );
    expect(events).toEqual([{ type: 'MODIFIED', object: patched }]);
  });

  it('may not rename', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const renaming = merge(world(), created, { metadata: { name: 'b' } });
    await expect(renaming).rejects.toMatchObject({ reason: 'BadRequest', status: 400 });
  });

  it('of a kind without a schema of ours works the same', async () => {
    const created = await world().createConfigMap(await world().namespace(), 'a', { data: { a: '1', b: '2' } });
    const body = { type: 'merge' as const, patch: { data: { a: null, c: '3' } } };
    const patched = await world().api.patch(ConfigMaps, nameOf(created), body, manager);
    expect(patched.data).toEqual({ b: '2', c: '3' });
  });
});

export const describeJsonPatches = area('R-1.19 a JSON patch', (world) => {
  it('adds, replaces, removes, copies and moves', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', {
      spec: { options: { a: '1' }, tags: ['x'] },
    });
    const { spec } = await json(
      world(),
      created,
      { op: 'test', path: '/spec/options/a', value: '1' },
      { op: 'replace', path: '/spec/size', value: 3 },
      { op: 'add', path: '/spec/tags/-', value: 'z' },
      { op: 'add', path: '/spec/tags/0', value: 'w' },
      { op: 'copy', from: '/spec/options/a', path: '/spec/options/b' },
      { op: 'move', from: '/spec/options/a', path: '/spec/options/c~1d' },
      { op: 'remove', path: '/spec/tags/1' },
    );
    expect(spec).toMatchObject({ size: 3, tags: ['w', 'z'], options: { b: '1', 'c/d': '1' } });
  });

  it('whose test fails changes nothing', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const patching = json(
      world(),
      created,
      { op: 'replace', path: '/spec/size', value: 3 },
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
    );
    await expect(patching).rejects.toMatchObject({ reason: 'Invalid', status: 422 });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(created);
  });

  it('that removes what is not there is Invalid', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await expect(json(world(), created, { op: 'remove', path: '/spec/note' })).rejects.toMatchObject({
      reason: 'Invalid',
    });
  });

  it('takes one finalizer from among others, if it is still in its place', async () => {
    const [ours, theirs] = ['contract.evenkeel.dev/ours', 'contract.evenkeel.dev/theirs'];
    const created = await world().createGadget(await world().namespace(), 'a', {
      metadata: { finalizers: [theirs, ours] },
    });
    const removal = [
      { op: 'test', path: '/metadata/finalizers/1', value: ours },
      { op: 'remove', path: '/metadata/finalizers/1' },
    ];
    const patched = await json(world(), created, ...removal);
    expect(patched.metadata.finalizers).toEqual([theirs]);
    await expect(json(world(), created, ...removal)).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('that is none is a BadRequest', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await expect(json(world(), created, { op: 'shuffle', path: '/spec' })).rejects.toMatchObject({
      reason: expect.stringMatching(/BadRequest|Invalid/),
    });
  });
});

export const describeStatus = area('R-1.13 the status subresource', (world) => {
  it('is not set by a create', async () => {
    const created = await world().createGadget(await world().namespace(), 'a', { status: { phase: 'Ready' } });
    expect(created).not.toHaveProperty('status');
  });

  it('takes the status alone: spec and labels of the same patch are dropped', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const patch = { metadata: { labels: { a: 'b' } }, spec: { size: 2 }, status: { phase: 'Ready' } };
    const patched = await merge(world(), created, patch, 'status');
    expect(patched).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' } });
    expect(patched.metadata).not.toHaveProperty('labels');
  });

  it('is left alone by a patch of the object itself', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await merge(world(), created, { status: { phase: 'Ready' } }, 'status');
    const patched = await merge(world(), created, { spec: { size: 2 }, status: { phase: 'Lost' } });
    expect(patched).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' } });
  });

  it('R-1.12 is guarded by the version of the object', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await merge(world(), created, { spec: { size: 2 } });
    const { uid, resourceVersion } = created.metadata;
    const patching = merge(
      world(),
      created,
      { metadata: { uid, resourceVersion }, status: { observedGeneration: 1 } },
      'status',
    );
    await expect(patching).rejects.toMatchObject({ reason: 'Conflict' });
  });

  it('is validated and pruned', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const wrong = merge(world(), created, { status: { observedGeneration: 'one' } }, 'status');
    await expect(wrong).rejects.toMatchObject({ reason: 'Invalid' });
    const { status } = await merge(world(), created, { status: { phase: 'Ready', unknown: 1 } }, 'status');
    expect(status).toEqual({ phase: 'Ready' });
  });

  it('of an absent object is NotFound', async () => {
    const absent = { namespace: await world().namespace(), name: 'absent' };
    const patching = world().api.patch(
      Gadgets,
      absent,
      { type: 'merge', patch: {} },
      { ...manager, subresource: 'status' },
    );
    await expect(patching).rejects.toMatchObject({ reason: 'NotFound' });
  });
});

export const describeUpdates = area('R-1.12 an update (PUT)', (world) => {
  it('replaces the spec, keeps the status, and needs the current version', async () => {
    const namespace = await world().namespace();
    const created = await world().createGadget(namespace, 'a', { spec: { note: 'old' } });
    await merge(world(), created, { status: { phase: 'Ready' } }, 'status');
    const { json: current } = await world().raw('GET', gadgetsPath(namespace, '/a'));
    const wanted = { ...current, spec: { size: 2 }, status: { phase: 'Lost' } };

    const updated = await world().raw('PUT', gadgetsPath(namespace, '/a'), wanted);
    expect(updated.status).toBe(200);
    expect(updated.json).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Ready' } });
    expect(updated.json.spec).toEqual({ size: 2, limit: 10, color: 'blue' });

    const stale = await world().raw('PUT', gadgetsPath(namespace, '/a'), { ...wanted, spec: { size: 3 } });
    expect(stale).toMatchObject({ status: 409, json: { reason: 'Conflict' } });
  });

  it('of a custom resource without a version is Invalid, of a ConfigMap it goes through', async () => {
    const namespace = await world().namespace();
    const gadget = await world().createGadget(namespace, 'a');
    const { resourceVersion: _, ...metadata } = gadget.metadata;
    const unguarded = await world().raw('PUT', gadgetsPath(namespace, '/a'), { ...gadget, metadata });
    expect(unguarded).toMatchObject({ status: 422, json: { reason: 'Invalid' } });

    await world().createConfigMap(namespace, 'a', { data: { a: '1' } });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: '2' } };
    const replaced = await world().raw('PUT', `/api/v1/namespaces/${namespace}/configmaps/a`, body);
    expect(replaced).toMatchObject({ status: 200, json: { data: { b: '2' } } });
    expect(replaced.json.data).not.toHaveProperty('a');
  });

  it('with another UID is a Conflict', async () => {
    const namespace = await world().namespace();
    const gadget = await world().createGadget(namespace, 'a');
    const metadata = { ...gadget.metadata, uid: '00000000-0000-0000-0000-000000000000' };
    const updated = await world().raw('PUT', gadgetsPath(namespace, '/a'), { ...gadget, metadata });
    expect(updated).toMatchObject({ status: 409, json: { reason: 'Conflict' } });
  });

  it('of the status subresource keeps the spec', async () => {
    const namespace = await world().namespace();
    const gadget = await world().createGadget(namespace, 'a');
    const wanted = { ...gadget, spec: { size: 9 }, status: { phase: 'Ready' } };
    const updated = await world().raw('PUT', gadgetsPath(namespace, '/a/status'), wanted);
    expect(updated).toMatchObject({ status: 200, json: { spec: { size: 1 }, status: { phase: 'Ready' } } });
  });

  it('of an absent custom resource is NotFound', async () => {
    const namespace = await world().namespace();
    const gadget = await world().createGadget(namespace, 'a');
    const absent = { ...gadget, metadata: { name: 'b', namespace, resourceVersion: gadget.metadata.resourceVersion } };
    const updated = await world().raw('PUT', gadgetsPath(namespace, '/b'), absent);
    expect(updated).toMatchObject({ status: 404, json: { reason: 'NotFound' } });
  });
});

export const describeStrategicPatches = area('R-6.2 a strategic merge patch', (world) => {
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

  it('of a built-in kind adds to lists that have a key, and removes what it says', async () => {
    const namespace = await world().namespace();
    const [ours, theirs] = ['contract.evenkeel.dev/ours', 'contract.evenkeel.dev/theirs'];
    await world().createConfigMap(namespace, 'a', { data: { a: '1', b: '2' }, metadata: { finalizers: [theirs] } });
    const path = `/api/v1/namespaces/${namespace}/configmaps/a`;
    const added = await world().raw('PATCH', path, { metadata: { finalizers: [ours] }, data: { a: null } }, strategic);
    expect([...added.json.metadata.finalizers].sort()).toEqual([ours, theirs]);
    expect(added.json.data).toEqual({ b: '2' });
    const removal = { metadata: { '$deleteFromPrimitiveList/finalizers': [theirs] } };
    const removed = await world().raw('PATCH', path, removal, strategic);
    expect(removed.json.metadata.finalizers).toEqual([ours]);
  });

  it('of a custom resource is refused', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a');
    const answer = await world().raw('PATCH', gadgetsPath(namespace, '/a'), { spec: { size: 2 } }, strategic);
    expect(answer).toMatchObject({ status: 415, json: { reason: 'UnsupportedMediaType' } });
  });
});
