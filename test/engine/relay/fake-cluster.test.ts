import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { ApiServer } from '../../../lib/apiserver/api-server.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi, WatchEvent, WatchOptions } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { FakeCluster } from './fake-cluster.ts';

interface Subject {
  readonly api: ClusterApi;
  /** Versions and continue tokens of before have expired. */
  expire(): void;
}

function fake(): Subject {
  const cluster = new FakeCluster(new ManualClock());
  return { api: cluster, expire: () => cluster.expire() };
}

function embedded(): Subject {
  const clock = new ManualClock();
  let uids = 0;
  const server = new ApiServer({ clock: () => clock.now(), newUid: () => `uid-${++uids}`, random: () => 0.5 });
  const api = new KubernetesClusterApi({ transport: server, clock, userAgent: 'test', requestTimeoutMs: 60_000 });
  return { api, expire: () => server.compact() };
}

const manager = { fieldManager: 'test' };

// What the relay's tests rest on is what the API server does: both are asked the same questions.
describe.each([
  ['the fake cluster', fake],
  ['the embedded API server', embedded],
])('R-5.2 %s', (_, open) => {
  let subject: Subject;
  let ended: AbortController;

  beforeEach(async () => {
    subject = open();
    ended = new AbortController();
    for (const name of ['app', 'other']) {
      await subject.api.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, manager);
    }
  });
  afterEach(() => ended.abort());

  function create(name: string, metadata: { namespace?: string; labels?: Record<string, string> } = {}) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'app', name, ...metadata } };
    return subject.api.create(ConfigMaps, object, manager);
  }
  const label = (name: string, labels: Record<string, string | null>) =>
    subject.api.patch(
      ConfigMaps,
      { namespace: 'app', name },
      { type: 'merge', patch: { metadata: { labels } } },
      manager,
    );
  const remove = ({ metadata }: KubeObject) =>
    subject.api.delete(
      ConfigMaps,
      { namespace: metadata.namespace ?? '', name: metadata.name },
      { preconditions: { uid: metadata.uid } },
    );
  const list = (options: object = {}) => subject.api.list(ConfigMaps, { namespace: 'app', ...options });
  const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

  function watch(resourceVersion: string, options: Partial<WatchOptions> = {}) {
    const all = { namespace: 'app', timeoutSeconds: 300, signal: ended.signal, resourceVersion, ...options };
    return subject.api.watch(ConfigMaps, all)[Symbol.asyncIterator]();
  }
  async function take(events: AsyncIterator<WatchEvent>, count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const { value } = await events.next();
      const event = value as WatchEvent;
      if ('object' in event) taken.push(`${event.type} ${event.object.metadata.name}`);
    }
    return taken;
  }

  it('lists the objects of a namespace in the order of their names, at a version no older than any', async () => {
    await create('b');
    const last = await create('a');
    await create('c', { namespace: 'other' });
    const { items, resourceVersion, continueToken } = await list();
    expect(names(items)).toEqual(['a', 'b']);
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(last.metadata.resourceVersion));
    expect(continueToken).toBeUndefined();
    expect(names((await subject.api.list(ConfigMaps)).items)).toEqual(['a', 'b', 'c']);
    expect((await subject.api.list(Secrets)).items).toEqual([]);
  });

  it('lists by label', async () => {
    await create('a', { labels: { app: 'x' } });
    await create('b', { labels: { app: 'y' } });
    await create('c');
    expect(names((await list({ labelSelector: 'app=x' })).items)).toEqual(['a']);
    expect(names((await list({ labelSelector: 'app' })).items)).toEqual(['a', 'b']);
    expect(names((await list({ labelSelector: '!app' })).items)).toEqual(['c']);
  });

  it('lists in pages of one version: what happens between two pages shows in neither', async () => {
    for (const name of ['a', 'b', 'd']) await create(name);
    const first = await list({ limit: 2 });
    await create('c');
    const second = await list({ limit: 2, continueToken: first.continueToken });
    expect([names(first.items), names(second.items)]).toEqual([['a', 'b'], ['d']]);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    expect(second.continueToken).toBeUndefined();
  });

  it('answers Expired when the history that a continue token needs is gone', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const { continueToken } = await list({ limit: 1 });
    await create('d');
    subject.expire();
    await expect(list({ limit: 1, continueToken })).rejects.toMatchObject({ reason: 'Expired' });
  });

  it('watches from the version of a list what came after it, in order', async () => {
    const first = await create('a');
    const { resourceVersion } = await list();
    await create('b');
    await label('a', { app: 'x' });
    await create('c', { namespace: 'other' });
    await remove(first);
    const events = watch(resourceVersion);
    expect(await take(events, 3)).toEqual(['ADDED b', 'MODIFIED a', 'DELETED a']);
    await create('d');
    expect(await take(events, 1)).toEqual(['ADDED d']);
  });

  it('gives a deletion a version of its own, newer than the last of the object', async () => {
    const object = await create('a');
    const events = watch(object.metadata.resourceVersion);
    await remove(object);
    const { value } = await events.next();
    const deleted = (value as { object: KubeObject }).object.metadata;
    expect(deleted.uid).toBe(object.metadata.uid);
    expect(Number(deleted.resourceVersion)).toBeGreaterThan(Number(object.metadata.resourceVersion));
  });

  it('watches by label an object come and go as its labels change', async () => {
    await create('a');
    const { resourceVersion } = await list();
    const events = watch(resourceVersion, { labelSelector: 'app=x' });
    await label('a', { app: 'x' });
    await label('a', { other: 'y' });
    await label('a', { app: null });
    await label('a', { app: 'x' });
    expect(await take(events, 4)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
  });

  it('answers Expired to a watch from a version that has expired', async () => {
    const { resourceVersion } = await list();
    await create('a');
    await create('b');
    subject.expire();
    await expect(watch(resourceVersion).next()).rejects.toMatchObject({ reason: 'Expired' });
  });

  it('ends a silent watch as soon as its signal aborts', async () => {
    const { resourceVersion } = await list();
    const next = watch(resourceVersion).next();
    ended.abort(new Error('enough'));
    const isOver = next.then(
      ({ done }) => done,
      () => true,
    );
    expect(await isOver).toBe(true);
  });

  it('refuses what another write overtook, and what is not there', async () => {
    const object = await create('a');
    const name = { namespace: 'app', name: 'a' };
    const { uid, resourceVersion } = object.metadata;
    await label('a', { app: 'x' });
    const patch = { metadata: { resourceVersion, labels: { app: 'y' } } };
    const refused = (call: Promise<unknown>, reason: string) => expect(call).rejects.toMatchObject({ reason });
    await refused(subject.api.patch(ConfigMaps, name, { type: 'merge', patch }, manager), 'Conflict');
    await refused(subject.api.delete(ConfigMaps, name, { preconditions: { uid, resourceVersion } }), 'Conflict');
    await refused(subject.api.delete(ConfigMaps, name, { preconditions: { uid: 'another' } }), 'Conflict');
    await refused(create('a'), 'AlreadyExists');
    const absent = { ...name, name: 'none' };
    await refused(subject.api.get(ConfigMaps, absent), 'NotFound');
    await refused(subject.api.patch(ConfigMaps, absent, { type: 'merge', patch: {} }, manager), 'NotFound');
    await refused(subject.api.delete(ConfigMaps, absent, { preconditions: { uid } }), 'NotFound');
    expect((await subject.api.get(ConfigMaps, name)).metadata).toMatchObject({ uid, labels: { app: 'x' } });
  });
});
