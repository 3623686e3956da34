import { expect, it } from 'vitest';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, nameOf } from './world.ts';

export const describeLists = area('R-5.7 a list', (world) => {
  const gadgets = async (...names: string[]) => {
    const namespace = await world().namespace();
    for (const name of names) await world().createGadget(namespace, name);
    return namespace;
  };
  const namesOf = (items: readonly { metadata: { name: string } }[]) => items.map(({ metadata }) => metadata.name);

  it('holds the whole objects of a namespace in the order of their names, at a version no older than any', async () => {
    const namespace = await world().namespace();
    const b = await world().createGadget(namespace, 'b');
    const a = await world().createGadget(namespace, 'a');
    const page = await world().api.list(Gadgets, { namespace });
    expect(page.items).toEqual([a, b]);
    expect(page).not.toHaveProperty('continueToken');
    expect(Number(page.resourceVersion)).toBeGreaterThanOrEqual(Number(a.metadata.resourceVersion));
  });

  it('of an empty namespace, or of one that does not exist, is empty', async () => {
    await expect(world().api.list(Gadgets, { namespace: await world().namespace() })).resolves.toMatchObject({
      items: [],
    });
    await expect(world().api.list(ConfigMaps, { namespace: 'no-such-namespace' })).resolves.toMatchObject({
      items: [],
    });
  });

  it('over all namespaces is in the order of namespace and name', async () => {
    const first = await gadgets('z');
    const second = await gadgets('a');
    const { items } = await world().api.list(Gadgets);
    const ours = items.filter(({ metadata }) => [first, second].includes(metadata.namespace ?? ''));
    const expected = [
      [first, 'z'],
      [second, 'a'],
    ].sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
    expect(ours.map(({ metadata }) => [metadata.namespace, metadata.name])).toEqual(expected);
  });

  it('comes in pages of one version: what happens between two pages shows in neither', async () => {
    const namespace = await gadgets('a', 'b', 'c', 'd', 'e');
    const first = await world().api.list(Gadgets, { namespace, limit: 2 });
    expect(namesOf(first.items)).toEqual(['a', 'b']);
    await world().createGadget(namespace, 'cc');
    const d = await world().api.get(Gadgets, { namespace, name: 'd' });
    await world().api.delete(Gadgets, nameOf(d), { preconditions: { uid: d.metadata.uid } });

    const continueToken = first.continueToken ?? '';
    const second = await world().api.list(Gadgets, { namespace, limit: 2, continueToken });
    expect(namesOf(second.items)).toEqual(['c', 'd']);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    const third = await world().api.list(Gadgets, { namespace, limit: 2, continueToken: second.continueToken ?? '' });
    expect(namesOf(third.items)).toEqual(['e']);
    expect(third).not.toHaveProperty('continueToken');
  });

  it('says how many items remain', async () => {
    const namespace = await gadgets('a', 'b', 'c');
    const { json } = await world().raw('GET', gadgetsPath(namespace, '?limit=1'));
    expect(json).toMatchObject({
      kind: 'GadgetList',
      apiVersion: 'contract.evenkeel.dev/v1',
      metadata: { remainingItemCount: 2 },
    });
  });

  it('whose continue token has expired is Expired, and offers another token to go on inconsistently', async () => {
    const namespace = await gadgets('a', 'b', 'c');
    const { continueToken = '' } = await world().api.list(Gadgets, { namespace, limit: 1 });
    await world().createGadget(namespace, 'd');
    await world().target.expireHistory();
    const options = { namespace, limit: 1, continueToken };
    await expect(world().api.list(Gadgets, options)).rejects.toMatchObject({ reason: 'Expired', status: 410 });
    const { json } = await world().raw(
      'GET',
      gadgetsPath(namespace, `?limit=5&continue=${encodeURIComponent(continueToken)}`),
    );
    expect(json).toMatchObject({
      kind: 'Status',
      reason: 'Expired',
      code: 410,
      metadata: { continue: expect.any(String) },
    });
    const onward = await world().api.list(Gadgets, { namespace, continueToken: json.metadata.continue });
    expect(namesOf(onward.items)).toEqual(['b', 'c', 'd']);
  });

  it('at exactly a version that has expired is Expired', async () => {
    const namespace = await gadgets('a');
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'b');
    const exact = gadgetsPath(namespace, `?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    const before = await world().raw('GET', exact);
    expect(namesOf(before.json.items)).toEqual(['a']);
    await world().target.expireHistory();
    await expect(world().raw('GET', exact)).resolves.toMatchObject({ status: 410, json: { reason: 'Expired' } });
  });

  it.each(['nonsense', 'eyJ2IjoieCJ9'])('with the continue token %s is a BadRequest', async (continueToken) => {
    const namespace = await world().namespace();
    await expect(world().api.list(Gadgets, { namespace, continueToken })).rejects.toMatchObject({
      reason: 'BadRequest',
    });
  });

  it.each([
    ['color=red', ['a', 'b']],
    ['color==red', ['a', 'b']],
    ['color!=red', ['c', 'd']],
    ['color in (red,green)', ['a', 'b', 'c']],
    ['color notin (red,green)', ['d']],
    ['color', ['a', 'b', 'c']],
    ['!color', ['d']],
    ['color=red,size=big', ['b']],
    ['color=mauve', []],
    ['rank>5', ['c']],
    ['rank<10', ['a']],
    ['size>1', []],
    ['constructor', []],
    ['constructor!=red', ['a', 'b', 'c', 'd']],
  ])('by the label selector %s holds %j', async (labelSelector, expected) => {
    const namespace = await world().namespace();
    const labels = {
      a: { color: 'red', rank: '5' },
      b: { color: 'red', size: 'big' },
      c: { color: 'green', rank: '10' },
      d: {},
    };
    for (const [name, own] of Object.entries(labels)) {
      await world().createConfigMap(namespace, name, { metadata: { labels: own } });
    }
    const { items } = await world().api.list(ConfigMaps, { namespace, labelSelector });
    expect(namesOf(items)).toEqual(expected);
  });

  it('by field selectors holds the named objects only', async () => {
    const namespace = await gadgets('a', 'b');
    const named = await world().api.list(Gadgets, { namespace, fieldSelector: 'metadata.name=b' });
    expect(namesOf(named.items)).toEqual(['b']);
    const others = await world().api.list(Gadgets, { namespace, fieldSelector: 'metadata.name!=b' });
    expect(namesOf(others.items)).toEqual(['a']);
    const inside = await world().api.list(Gadgets, { fieldSelector: `metadata.namespace=${namespace}` });
    expect(namesOf(inside.items)).toEqual(['a', 'b']);
  });

  it.each([
    { fieldSelector: 'spec.size=1' },
    { fieldSelector: 'nonsense' },
    { fieldSelector: ' metadata.name=a' },
    { fieldSelector: 'metadata.name=a=b' },
    { fieldSelector: 'metadata.name=\\a' },
    { labelSelector: 'a in' },
    { labelSelector: '=b' },
    { labelSelector: 'color=red,' },
    { labelSelector: 'rank>high' },
  ])('by a selector that is not supported, %j, is a BadRequest', async (selector) => {
    const namespace = await world().namespace();
    await expect(world().api.list(Gadgets, { namespace, ...selector })).rejects.toMatchObject({ reason: 'BadRequest' });
  });

  it('of metadata only holds nothing else, in pages too', async () => {
    const namespace = await gadgets('a', 'b');
    const { items, continueToken } = await world().api.list(Gadgets, { namespace, metadataOnly: true, limit: 1 });
    const a = await world().api.get(Gadgets, { namespace, name: 'a' });
    expect(items).toEqual([{ apiVersion: a.apiVersion, kind: a.kind, metadata: a.metadata }]);
    expect(continueToken).toBeDefined();
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { json } = await world().raw('GET', gadgetsPath(namespace), undefined, { accept });
    expect(json).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(json.items[0]).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: a.metadata,
    });
  });

  it('of one object is its metadata only, when asked so', async () => {
    const namespace = await gadgets('a');
    const a = await world().api.get(Gadgets, { namespace, name: 'a' });
    const read = await world().api.get(Gadgets, nameOf(a), { metadataOnly: true });
    expect(read).toEqual({ apiVersion: a.apiVersion, kind: a.kind, metadata: a.metadata });
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const { json } = await world().raw('GET', gadgetsPath(namespace, '/a'), undefined, { accept });
    expect(json).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: a.metadata });
  });
});
