import { beforeEach, describe, expect, it } from 'vitest';
import type { DesiredObject, KubeObject, OwnerReference } from '../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType } from '../../lib/core/resource-type.ts';
import {
  actionFor,
  createOrObserve,
  deleteAndObserve,
  ensureOwned,
  type Ownership,
  ownedByReference,
  removeOwned,
  willBeOurs,
} from '../../lib/kit/ensure-owned.ts';
import { ownerReference } from '../../lib/kit/owner-references.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';
import { KitContext } from './kit-context.ts';

const Widgets: ResourceType = {
  group: 'example.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
const OWNER = { metadata: { name: 'widget', namespace: 'app', uid: 'owner', resourceVersion: '1' } };
const NAME = { namespace: 'app', name: 'config' };
const WANTED: DesiredObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME, data: { a: '1' } };
const OURS = ownerReference(Widgets, OWNER);
const THEIRS: OwnerReference = { ...OURS, uid: 'another' };

const byReference = ownedByReference(Widgets, OWNER);
/** By a label, where a reference cannot be: `unmarked` is one that names us in its annotation and lost the label. */
const byLabel: Ownership = {
  standingOf: ({ metadata }) => {
    const owner = metadata.annotations?.owner;
    if (owner === undefined) return 'unowned';
    if (owner !== 'owner') return 'foreign';
    return metadata.labels?.managed === 'yes' ? 'ours' : 'unmarked';
  },
  marksFor: () => ({ labels: { managed: 'yes' }, annotations: { owner: 'owner' } }),
};

function present(metadata: Partial<KubeObject['metadata']>, fields: object = {}): KubeObject {
  return { ...WANTED, ...fields, metadata: { ...NAME, uid: 'there', resourceVersion: '7', ...metadata } };
}

let context: KitContext;
beforeEach(() => {
  context = new KitContext();
});

const ensure = (rules: object = {}, wanted: object = {}) =>
  ensureOwned(
    context.whole,
    { type: ConfigMaps, object: WANTED, ...wanted },
    { ownership: byReference, mayCreate: true, adopt: false, ...rules },
  );

describe('ensuring an owned object', () => {
  it('R-1.20 creates a missing one with its marks, and gives up the defaults of the server', async () => {
    expect(await ensure()).toMatchObject({ type: 'present', object: { metadata: { ownerReferences: [OURS] } } });
    expect(context.calls).toEqual(['get app/config', 'create app/config', 'apply app/config']);
  });

  it('R-1.20 keeps labels and annotations that the object is wanted with', async () => {
    const metadata = { ...NAME, labels: { app: 'a' }, annotations: { note: 'b' } };
    await ensure({ ownership: byLabel }, { object: { ...WANTED, metadata } });
    expect(context.stored(NAME)?.metadata).toMatchObject({
      labels: { app: 'a', managed: 'yes' },
      annotations: { note: 'b', owner: 'owner' },
    });
  });

  it('withholds a missing one when it may not be created yet', async () => {
    expect(await ensure({ mayCreate: false })).toEqual({ type: 'withheld' });
    expect(context.calls).toEqual(['get app/config']);
  });

  it.each([
    ['it has another owner', { ownerReferences: [THEIRS] }, false],
    ['it has another owner and adoption is allowed', { ownerReferences: [THEIRS] }, true],
    ['it has two owners', { ownerReferences: [OURS, THEIRS] }, true],
    ['nobody owns it and adoption is not allowed', {}, false],
  ])('R-1.21 refuses, and sends nothing, when %s', async (_, metadata, adopt) => {
    context.put(present(metadata));
    expect(await ensure({ adopt })).toEqual({ type: 'conflict' });
    expect(context.calls).toEqual(['get app/config']);
  });

  it('R-1.21 adopts one that nobody owns when adoption is allowed', async () => {
    context.put(present({}));
    expect(await ensure({ adopt: true })).toMatchObject({ type: 'present' });
    expect(context.stored(NAME)?.metadata).toMatchObject({ uid: 'there', ownerReferences: [OURS] });
  });

  it('R-1.12 applies an object of ours to the version that was read', async () => {
    context.put(present({ ownerReferences: [OURS] }, { data: { a: 'edited' } }));
    expect(await ensure()).toMatchObject({ type: 'present', object: { data: { a: '1' } } });
    expect(context.calls).toEqual(['get app/config', 'apply app/config']);
  });

  it('waits for one of ours that is being deleted', async () => {
    const object = context.put(present({ ownerReferences: [OURS], deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(await ensure()).toEqual({ type: 'terminating', object });
    expect(context.calls).toEqual(['get app/config']);
  });

  it('mends only the marks of one whose content is given at its creation', async () => {
    context.put(present({ annotations: { owner: 'owner' } }, { data: { a: 'edited' } }));
    await ensure({ ownership: byLabel }, { createOnly: true });
    expect(context.stored(NAME)).toMatchObject({ data: { a: 'edited' }, metadata: { labels: { managed: 'yes' } } });
    expect(context.calls).toEqual(['get app/config', 'patch app/config']);
  });

  it('takes out of a whole list what others added, before it applies', async () => {
    const object = { ...WANTED, spec: { ports: [{ name: 'own', port: 1 }] } };
    const added = { name: 'theirs', port: 2 };
    context.put(
      present({ ownerReferences: [OURS] }, { spec: { ports: [{ name: 'own', port: 1, filledIn: 3 }, added] } }),
    );
    await ensure({}, { object, wholeLists: ['ports'] });
    expect(context.calls).toEqual(['get app/config', 'patch app/config', 'apply app/config']);
    expect(context.stored(NAME)?.spec).toEqual({ ports: [{ name: 'own', port: 1 }] });
    context.calls.length = 0;
    await ensure({}, { object, wholeLists: ['ports'] });
    expect(context.calls).toEqual(['get app/config', 'apply app/config']);
  });

  it('R-1.17 throws when the read fails, and sends nothing', async () => {
    context.failNext('get', new ApiError('Timeout', 'no answer'));
    await expect(ensure()).rejects.toMatchObject({ reason: 'Timeout' });
    expect(context.calls).toEqual(['get app/config']);
  });

  it.each<[string, KubeObject | undefined, boolean]>([
    ['a missing one', undefined, true],
    ['one of ours', present({ ownerReferences: [OURS] }), true],
    ['one that nobody owns', present({}), false],
    ['one of another owner', present({ ownerReferences: [THEIRS] }), false],
  ])('R-1.20 willBeOurs says of %s: %3$s', (_, observed, expected) => {
    const rules = { ownership: byReference, mayCreate: true, adopt: false };
    expect(willBeOurs(observed, rules)).toBe(expected);
    expect(actionFor(observed, { ...rules, mayCreate: false }) === 'withhold').toBe(observed === undefined);
  });
});

describe('removing an owned object', () => {
  const remove = (ownership = byReference, how = {}) =>
    removeOwned(context.whole, ConfigMaps, NAME, { ownership, ...how });

  it('R-1.15 R-1.18 deletes it and confirms by a fresh read that it is gone', async () => {
    context.put(present({ ownerReferences: [OURS] }));
    expect(await remove(byReference, { propagation: 'Foreground' })).toEqual({ type: 'absent' });
    expect(context.calls).toEqual(['get app/config', 'delete app/config Foreground', 'getAgain app/config']);
  });

  it('R-1.15 is pending while finalizers hold it, and is not sent again', async () => {
    context.put(present({ ownerReferences: [OURS], finalizers: ['example.dev/hold'] }));
    expect(await remove()).toMatchObject({ type: 'pending' });
    context.calls.length = 0;
    expect(await remove()).toMatchObject({ type: 'pending' });
    expect(context.calls).toEqual(['get app/config']);
  });

  it.each([
    ['another owner has it', { ownerReferences: [THEIRS] }],
    ['nobody has it', {}],
  ])('R-1.18 R-1.21 leaves it when %s', async (_, metadata) => {
    context.put(present(metadata));
    expect(await remove()).toEqual({ type: 'foreign', uid: 'there' });
    expect(context.calls).toEqual(['get app/config']);
  });

  it('R-1.18 repairs the marks of an object of ours before it deletes the object', async () => {
    context.put(present({ annotations: { owner: 'owner' } }));
    expect(await remove(byLabel)).toEqual({ type: 'absent' });
    expect(context.calls).toEqual(['get app/config', 'patch app/config', 'delete app/config', 'getAgain app/config']);
  });

  it('is done when it is absent', async () => {
    expect(await remove()).toEqual({ type: 'absent' });
  });

  it('R-1.17 throws when the confirming read fails: nothing proves it gone', async () => {
    context.put(present({ ownerReferences: [OURS] }));
    context.failNext('getAgain', new ApiError('ServerError', 'no'));
    await expect(remove()).rejects.toMatchObject({ reason: 'ServerError' });
  });
});

describe('single writes with the read that tells what they did', () => {
  it('R-1.15 deleteAndObserve returns what is left', async () => {
    const held = context.put(present({ finalizers: ['example.dev/hold'] }));
    expect(await deleteAndObserve(context.whole, ConfigMaps, held)).toMatchObject({ type: 'found' });
    const free = context.put(present({}));
    expect(await deleteAndObserve(context.whole, ConfigMaps, free)).toEqual({ type: 'absent' });
  });

  it('R-1.17 deleteAndObserve throws a refused deletion, and returns a read that failed', async () => {
    const object = context.put(present({}));
    context.failNext('delete', new ApiError('Conflict', 'no'));
    await expect(deleteAndObserve(context.whole, ConfigMaps, object)).rejects.toMatchObject({ reason: 'Conflict' });
    context.failNext('getAgain', new ApiError('Timeout', 'no'));
    expect(await deleteAndObserve(context.whole, ConfigMaps, object)).toMatchObject({ type: 'failed' });
  });

  const create = () => createOrObserve(context.whole, ConfigMaps, NAME, () => context.create(ConfigMaps, WANTED));

  it('createOrObserve says whether the object is the one it made', async () => {
    expect(await create()).toMatchObject({ made: true, observation: { type: 'found' } });
    expect(await create()).toMatchObject({ made: false, observation: { type: 'found' } });
    expect(context.calls).toEqual(['create app/config', 'create app/config', 'getAgain app/config']);
  });

  it('createOrObserve throws every other refusal', async () => {
    context.failNext('create', new ApiError('Forbidden', 'no'));
    await expect(create()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(context.calls).toEqual(['create app/config']);
  });
});
