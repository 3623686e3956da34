import { expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { Propagation } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps, Namespaces } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, eventually, gadget, gone, manager, nameOf, ownedBy, type World } from './world.ts';

const FINALIZER = 'contract.evenkeel.dev/hold';
const ELSEWHERE = '00000000-0000-0000-0000-000000000000';

const remove = (world: World, { metadata, kind }: KubeObject, preconditions = { uid: metadata.uid }) =>
  world.api.delete(
    kind === 'Gadget' ? Gadgets : ConfigMaps,
    { namespace: metadata.namespace ?? '', name: metadata.name },
    { preconditions },
  );

const patch = (world: World, object: KubeObject, body: Record<string, never> | object) =>
  world.api.patch(Gadgets, nameOf(object), { type: 'merge', patch: JSON.parse(JSON.stringify(body)) }, manager);

export const describeDeletion = area('R-1.18 a deletion', (world) => {
  it('removes the object at once when nothing holds it', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await remove(world(), created);
    await expect(world().api.get(Gadgets, nameOf(created))).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(remove(world(), created)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('with another UID is a Conflict and leaves the object', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    await expect(remove(world(), created, { uid: ELSEWHERE })).rejects.toMatchObject({
      reason: 'Conflict',
      status: 409,
    });
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(created);
  });

  it('with an older version is a Conflict and leaves the object, with the current one it goes through', async () => {
    const created = await world().createGadget(await world().namespace(), 'a');
    const patched = await patch(world(), created, { spec: { size: 2 } });
    const { uid, resourceVersion } = created.metadata;
    const stale = { uid, resourceVersion };
    await expect(remove(world(), created, stale)).rejects.toMatchObject({ reason: 'Conflict' });
    const current = { uid, resourceVersion: patched.metadata.resourceVersion };
    await expect(remove(world(), created, current)).resolves.toBeUndefined();
  });

  it('answers a Status, or the object where it lives on', async () => {
    const namespace = await world().namespace();
    const created = await world().createGadget(namespace, 'a');
    const removed = await world().raw('DELETE', gadgetsPath(namespace, '/a'));
    expect(removed).toMatchObject({
      status: 200,
      json: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'gadgets', uid: created.metadata.uid } },
    });
    await world().createGadget(namespace, 'b', { metadata: { finalizers: [FINALIZER] } });
    const held = await world().raw('DELETE', gadgetsPath(namespace, '/b'));
    expect(held.json).toMatchObject({ kind: 'Gadget', metadata: { deletionTimestamp: expect.any(String) } });
  });

  it('of a collection takes what its selector names', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a', { metadata: { labels: { color: 'red' } } });
    await world().createGadget(namespace, 'b', { metadata: { labels: { color: 'blue' } } });
    await world().raw('DELETE', gadgetsPath(namespace, '?labelSelector=color%3Dred'));
    const { items } = await world().api.list(Gadgets, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });
});

export const describeFinalizers = area('R-1.15 an object with a finalizer', (world) => {
  const deleting = async () => {
    const created = await world().createGadget(await world().namespace(), 'a', {
      metadata: { finalizers: [FINALIZER] },
    });
    await remove(world(), created);
    return { created, held: await world().api.get(Gadgets, nameOf(created)) };
  };

  it('stays readable while it is deleted, with the time and a new generation', async () => {
    const { created, held } = await deleting();
    expect(held.metadata).toMatchObject({
      uid: created.metadata.uid,
      deletionTimestamp: expect.stringMatching(/Z$/),
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: [FINALIZER],
    });
    expect(held.spec).toEqual(created.spec);
  });

  it('is not changed by being deleted again', async () => {
    const { created, held } = await deleting();
    await remove(world(), created);
    await expect(world().api.get(Gadgets, nameOf(created))).resolves.toEqual(held);
  });

  it('goes when the last finalizer goes', async () => {
    const { created, held } = await deleting();
    const last = await patch(world(), held, { metadata: { finalizers: null } });
    expect(last.metadata.uid).toBe(created.metadata.uid);
    await expect(world().api.get(Gadgets, nameOf(created))).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('may change until then, but get no further finalizer', async () => {
    const { held } = await deleting();
    const changed = await patch(world(), held, { spec: { size: 2 }, metadata: { labels: { a: 'b' } } });
    expect(changed.metadata.generation).toBe(3);
    const more = patch(world(), held, { metadata: { finalizers: [FINALIZER, 'contract.evenkeel.dev/more'] } });
    await expect(more).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('cannot be brought back by a patch, nor can a living one be marked as deleted', async () => {
    const { held } = await deleting();
    const revived = await patch(world(), held, { metadata: { deletionTimestamp: null } });
    expect(revived).toEqual(held);
    const alive = await world().createGadget(held.metadata.namespace ?? '', 'b');
    const marking = patch(world(), alive, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } });
    await expect(marking).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('blocks its name until it is gone', async () => {
    const { held } = await deleting();
    const again = world().api.create(Gadgets, gadget(held.metadata.namespace ?? '', 'a'), manager);
    await expect(again).rejects.toMatchObject({ reason: 'AlreadyExists' });
  });

  it('shows as MODIFIED when deleted and as DELETED when gone', async () => {
    const { created, held } = await deleting();
    await patch(world(), held, { metadata: { finalizers: [] } });
    const { namespace = '', resourceVersion } = created.metadata;
    const events = await world().watchUntil({ namespace, resourceVersion }, ({ type }) => type === 'DELETED');
    expect(events[0]).toEqual({ type: 'MODIFIED', object: held });
    expect(events.at(-1)).toMatchObject({ type: 'DELETED', object: { metadata: { uid: created.metadata.uid } } });
  });
});

export const describeGarbageCollection = area('R-1.20 owner references', (world) => {
  const family = async (fields: { blockOwnerDeletion?: boolean } = {}) => {
    const namespace = await world().namespace();
    const owner = await world().createConfigMap(namespace, 'owner');
    const metadata = ownedBy(owner, { controller: true, ...fields });
    const child = await world().createConfigMap(namespace, 'child', { metadata });
    const grandchild = await world().createConfigMap(namespace, 'grandchild', { metadata: ownedBy(child) });
    return { namespace, owner, child, grandchild };
  };

  const removeOwner = (owner: KubeObject, propagation: Propagation) =>
    world().api.delete(ConfigMaps, nameOf(owner), { preconditions: { uid: owner.metadata.uid }, propagation });

  it('take the dependents along after their owner, background deletion', async () => {
    const { owner, child, grandchild } = await family();
    await removeOwner(owner, 'Background');
    await expect(world().api.get(ConfigMaps, nameOf(owner))).rejects.toMatchObject({ reason: 'NotFound' });
    await gone(world().api, child);
    await gone(world().api, grandchild);
  });

  it('take the dependents along before their owner, foreground deletion', async () => {
    const { owner, child } = await family({ blockOwnerDeletion: true });
    const holder = { type: 'merge' as const, patch: { metadata: { finalizers: [FINALIZER] } } };
    await world().api.patch(ConfigMaps, nameOf(child), holder, manager);
    await removeOwner(owner, 'Foreground');
    const waiting = await eventually(async () => {
      const read = await world().api.get(ConfigMaps, nameOf(child));
      expect(read.metadata.deletionTimestamp).toBeDefined();
      return await world().api.get(ConfigMaps, nameOf(owner));
    });
    expect(waiting.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['foregroundDeletion'],
    });
    const release = { type: 'merge' as const, patch: { metadata: { finalizers: null } } };
    await world().api.patch(ConfigMaps, nameOf(child), release, manager);
    await gone(world().api, owner);
  });

  it('are taken out of the dependents, which stay, orphaning deletion', async () => {
    const { owner, child } = await family();
    await removeOwner(owner, 'Orphan');
    await gone(world().api, owner);
    const orphan = await world().api.get(ConfigMaps, nameOf(child));
    expect(orphan.metadata.uid).toBe(child.metadata.uid);
    expect(orphan.metadata.ownerReferences ?? []).toEqual([]);
  });

  it('keep a dependent whose other owner lives', async () => {
    const { namespace, owner, child } = await family();
    const other = await world().createConfigMap(namespace, 'other');
    const references = [...(ownedBy(owner).ownerReferences ?? []), ...(ownedBy(other).ownerReferences ?? [])];
    const body = { type: 'merge' as const, patch: { metadata: { ownerReferences: references } } };
    await world().api.patch(ConfigMaps, nameOf(child), body, manager);
    await removeOwner(owner, 'Background');
    const kept = await eventually(async () => {
      const read = await world().api.get(ConfigMaps, nameOf(child));
      expect(read.metadata.ownerReferences).toHaveLength(1);
      return read;
    });
    expect(kept.metadata.ownerReferences).toMatchObject([{ name: 'other' }]);
  });

  it('to a custom resource work the same', async () => {
    const namespace = await world().namespace();
    const owner = await world().createGadget(namespace, 'owner');
    const child = await world().createConfigMap(namespace, 'child', { metadata: ownedBy(owner, { controller: true }) });
    await remove(world(), owner);
    await gone(world().api, child);
  });

  it('R-1.11 to an object of another UID do not hold: an owner made anew is another', async () => {
    const { namespace, owner } = await family();
    const stranger = { ...owner, metadata: { ...owner.metadata, uid: ELSEWHERE } };
    const lost = await world().createConfigMap(namespace, 'lost', { metadata: ownedBy(stranger) });
    await gone(world().api, lost);
    await expect(world().api.get(ConfigMaps, nameOf(owner))).resolves.toBeDefined();
  });
});

export const describeNamespaces = area('R-3.5 a namespace', (world) => {
  it('carries its name as a label', async () => {
    const name = await world().namespace();
    const { metadata } = await world().api.get(Namespaces, { namespace: '', name });
    expect(metadata.labels).toEqual({ 'kubernetes.io/metadata.name': name });
  });

  it('is emptied and goes when it is deleted, and takes nothing new meanwhile', async () => {
    const namespace = await world().namespace();
    const name = { namespace: '', name: namespace };
    const held = await world().createGadget(namespace, 'held', { metadata: { finalizers: [FINALIZER] } });
    const plain = await world().createConfigMap(namespace, 'plain');
    const { metadata } = await world().api.get(Namespaces, name);
    await world().api.delete(Namespaces, name, { preconditions: { uid: metadata.uid } });

    const terminating = await world().api.get(Namespaces, name);
    expect(terminating).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: { phase: 'Terminating' },
    });
    await expect(world().createConfigMap(namespace, 'late')).rejects.toMatchObject({
      reason: 'Forbidden',
      status: 403,
    });
    await gone(world().api, plain);
    await expect(world().api.get(Namespaces, name)).resolves.toBeDefined();
    await patch(world(), held, { metadata: { finalizers: null } });
    await gone(world().api, { ...terminating, metadata: { ...terminating.metadata } }, Namespaces);
  });

  it.each(['default', 'kube-system'])('of the system, %s, may not be deleted', async (name) => {
    const { metadata } = await world().api.get(Namespaces, { namespace: '', name });
    const deletion = world().api.delete(Namespaces, { namespace: '', name }, { preconditions: { uid: metadata.uid } });
    await expect(deletion).rejects.toMatchObject({ reason: 'Forbidden' });
  });
});
