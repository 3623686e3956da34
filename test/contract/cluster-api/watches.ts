import { expect, it } from 'vitest';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { WatchEvent } from '../../../lib/ports/cluster-api.ts';
import { Gadgets, gadgetsPath } from './gadget.ts';
import { area, manager, nameOf, type World } from './world.ts';

const isDeleted = ({ type }: WatchEvent) => type === 'DELETED';
const shown = (events: readonly WatchEvent[]) =>
  events.filter((event) => 'object' in event).map((event) => `${event.type} ${event.object.metadata.name}`);

const patchGadget = (world: World, namespace: string, name: string, patch: { [key: string]: never } | object) =>
  world.api.patch(Gadgets, { namespace, name }, { type: 'merge', patch: JSON.parse(JSON.stringify(patch)) }, manager);

const removeGadget = async (world: World, namespace: string, name: string) => {
  const { metadata } = await world.api.get(Gadgets, { namespace, name });
  await world.api.delete(Gadgets, { namespace, name }, { preconditions: { uid: metadata.uid } });
};

export const describeWatches = area('R-5.7 a watch', (world) => {
  it('from the version of a list delivers what came after it, whole, in order, and nothing else', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'before');
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    const created = await world().createGadget(namespace, 'a');
    const patched = await patchGadget(world(), namespace, 'a', { spec: { size: 2 } });
    await removeGadget(world(), namespace, 'a');
    const events = await world().watchUntil({ namespace, resourceVersion }, isDeleted);
    expect(events.slice(0, 2)).toEqual([
      { type: 'ADDED', object: created },
      { type: 'MODIFIED', object: patched },
    ]);
    expect(shown(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  it('R-5.2 gives a deletion a version of its own, newer than the last of the object', async () => {
    const namespace = await world().namespace();
    const created = await world().createGadget(namespace, 'a');
    const { resourceVersion } = created.metadata;
    await removeGadget(world(), namespace, 'a');
    const events = await world().watchUntil({ namespace, resourceVersion }, isDeleted);
    const [event] = events;
    if (event?.type !== 'DELETED') throw new Error('the first event is not the deletion');
    expect(event.object.metadata.uid).toBe(created.metadata.uid);
    expect(Number(event.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('delivers what happens while it runs', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    const watching = world().watchUntil({ namespace, resourceVersion }, isDeleted);
    await world().createGadget(namespace, 'a');
    await removeGadget(world(), namespace, 'a');
    expect(shown(await watching)).toEqual(['ADDED a', 'DELETED a']);
  });

  it('of one namespace sees that one, of all sees all', async () => {
    const [one, other] = [await world().namespace(), await world().namespace()];
    const { resourceVersion } = await world().api.list(Gadgets);
    await world().createGadget(other, 'theirs');
    await world().createGadget(one, 'ours');
    const until = (event: WatchEvent) => event.type === 'ADDED' && event.object.metadata.name === 'ours';
    expect(shown(await world().watchUntil({ namespace: one, resourceVersion }, until))).toEqual(['ADDED ours']);
    expect(shown(await world().watchUntil({ resourceVersion }, until))).toEqual(['ADDED theirs', 'ADDED ours']);
  });

  it('by label sees an object come and go as its labels change', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'a');
    await world().createGadget(namespace, 'b', { metadata: { labels: { watched: 'yes' } } });
    await patchGadget(world(), namespace, 'a', { metadata: { labels: { watched: 'yes' } } });
    await patchGadget(world(), namespace, 'a', { spec: { size: 2 } });
    const left = await patchGadget(world(), namespace, 'a', { metadata: { labels: { watched: 'no' } } });
    await patchGadget(world(), namespace, 'a', { spec: { size: 3 } });
    await removeGadget(world(), namespace, 'b');
    const ended = (event: WatchEvent) => isDeleted(event) && 'object' in event && event.object.metadata.name === 'b';
    const events = await world().watchUntil({ namespace, resourceVersion, labelSelector: 'watched=yes' }, ended);
    expect(shown(events)).toEqual(['ADDED b', 'ADDED a', 'MODIFIED a', 'DELETED a', 'DELETED b']);
    const departure = events.filter((event) => 'object' in event).at(3);
    expect(departure?.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
  });

  it('of metadata only delivers nothing else', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    const { apiVersion, kind, metadata } = await world().createGadget(namespace, 'a');
    const events = await world().watchUntil({ namespace, resourceVersion, metadataOnly: true }, () => true);
    expect(events).toEqual([{ type: 'ADDED', object: { apiVersion, kind, metadata } }]);

    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const path = gadgetsPath(namespace, `?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`);
    const { json } = await world().raw('GET', path, undefined, { accept });
    expect(json).toEqual({
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    });
  });

  it('of a built-in kind delivers whole objects with their type', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(ConfigMaps, { namespace });
    const created = await world().createConfigMap(namespace, 'a', { data: { a: '1' } });
    const events = await world().watchUntil({ namespace, resourceVersion }, () => true, ConfigMaps);
    expect(events).toEqual([{ type: 'ADDED', object: created }]);
  });

  it('ends without an error when the time that it asked for is over', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    const events: WatchEvent[] = [];
    for await (const event of world().api.watch(Gadgets, { namespace, resourceVersion, timeoutSeconds: 1 }))
      events.push(event);
    expect(shown(events)).toEqual([]);
  });

  it('gets a bookmark past what changed elsewhere meanwhile, from which nothing is missed', async () => {
    const [namespace, other] = [await world().namespace(), await world().namespace()];
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'a');
    let elsewhere = Number.POSITIVE_INFINITY;
    const events: WatchEvent[] = [];
    // A server need not send a bookmark until an object of the kind has changed after the start of the watch.
    for await (const event of world().api.watch(Gadgets, { namespace, resourceVersion, timeoutSeconds: 5 })) {
      events.push(event);
      if (event.type === 'ADDED') {
        const { metadata } = await world().createGadget(other, 'elsewhere');
        elsewhere = Number(metadata.resourceVersion);
      }
    }
    expect(shown(events)).toEqual(['ADDED a']);
    const bookmark = events.at(-1);
    if (bookmark?.type !== 'BOOKMARK') throw new Error('the last event is no bookmark');
    expect(Number(bookmark.resourceVersion)).toBeGreaterThanOrEqual(elsewhere);
    await world().createGadget(namespace, 'b');
    const next = await world().watchUntil({ namespace, resourceVersion: bookmark.resourceVersion }, () => true);
    expect(shown(next)).toEqual(['ADDED b']);
  });

  it('from a version that has expired is Expired, by an ERROR event', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'a');
    await world().target.expireHistory();
    const watching = world().watchUntil({ namespace, resourceVersion }, () => true);
    await expect(watching).rejects.toMatchObject({ reason: 'Expired', status: 410 });

    const path = gadgetsPath(namespace, `?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=5`);
    const { status, json } = await world().raw('GET', path);
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
  });

  it('from the present goes on after the history has expired', async () => {
    const namespace = await world().namespace();
    await world().target.expireHistory();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'a');
    expect(shown(await world().watchUntil({ namespace, resourceVersion }, () => true))).toEqual(['ADDED a']);
  });

  it('with a version that is none is refused', async () => {
    const namespace = await world().namespace();
    const watching = world().watchUntil({ namespace, resourceVersion: 'nonsense' }, () => true);
    await expect(watching).rejects.toMatchObject({
      reason: expect.stringMatching(/^(Invalid|BadRequest|ServerError)$/),
    });
  });

  it('asked for initial events sends what there is, then a bookmark that says so, then what comes', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a');
    await world().createGadget(namespace, 'b');
    const query =
      '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const { text } = await world().raw('GET', gadgetsPath(namespace, query));
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      events
        .slice(0, 2)
        .map(({ type, object }) => `${type} ${object.metadata.name}`)
        .sort(),
    ).toEqual(['ADDED a', 'ADDED b']);
    expect(events[2]).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Gadget', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  it('without a version begins with what there is', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a');
    const { json } = await world().raw('GET', gadgetsPath(namespace, '?watch=true&timeoutSeconds=1'));
    expect(json).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  });

  it('of one object by its name sees that one', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    await world().createGadget(namespace, 'a');
    await world().createGadget(namespace, 'b');
    const query = `?watch=true&timeoutSeconds=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Db`;
    const { json } = await world().raw('GET', gadgetsPath(namespace, query));
    expect(json).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
  });

  it('ends as soon as its signal aborts, while it is silent too', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(Gadgets, { namespace });
    const abort = new AbortController();
    const options = { namespace, resourceVersion, timeoutSeconds: 600, signal: abort.signal };
    const events: WatchEvent[] = [];
    const watching = (async () => {
      for await (const event of world().api.watch(Gadgets, options)) {
        events.push(event);
        setImmediate(() => abort.abort());
      }
    })();
    await world().createGadget(namespace, 'a');
    await watching;
    expect(shown(events)).toEqual(['ADDED a']);
  });

  it('survives an object of more than a megabyte', async () => {
    const namespace = await world().namespace();
    const { resourceVersion } = await world().api.list(ConfigMaps, { namespace });
    const created = await world().createConfigMap(namespace, 'big', { data: { text: 'é"\\\n'.repeat(200_000) } });
    const events = await world().watchUntil({ namespace, resourceVersion }, () => true, ConfigMaps);
    expect(events).toEqual([{ type: 'ADDED', object: created }]);
    await expect(world().api.get(ConfigMaps, nameOf(created))).resolves.toEqual(created);
  });
});
