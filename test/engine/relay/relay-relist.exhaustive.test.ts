import { afterEach, describe, expect, it } from 'vitest';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { Edge } from '../../../lib/ports/state-store.ts';
import { Held } from './held.ts';
import { MANAGED, ownedBy, RelayFixture, SECRETS, target, Widgets, widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

/** Watches, then misses everything that `meanwhile` does. The version at which it resumes has expired. */
async function afterGap(
  before: (fixture: RelayFixture) => Promise<void> | void,
  meanwhile: (fixture: RelayFixture) => Promise<void> | void,
): Promise<void> {
  fixture = new RelayFixture();
  await before(fixture);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  await fixture.stopAll();
  await meanwhile(fixture);
  fixture.cluster.expire();
  fixture.sent('events');
  fixture.sent('resync');
  await fixture.start('next');
  await fixture.clock.advance(2_000);
}

describe('the initial list and a relist', () => {
  it('R-1.2 a list sends every selected object to the resync lane, as an update that a pass can cover', async () => {
    fixture = new RelayFixture();
    for (let index = 0; index < 7; index += 1) fixture.cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await fixture.start();
    expect(fixture.lines('resync')).toEqual(
      Array.from({ length: 7 }, (_, index) => `updated ns/w-${index}@${101 + index}`),
    );
    expect(fixture.sent('events')).toEqual([]);
    expect(await fixture.checkpoint()).toBe('1:107');
  });

  it('R-5.7 a list asks for metadata only, in pages', async () => {
    fixture = new RelayFixture();
    for (let index = 0; index < 7; index += 1) fixture.cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await fixture.start();
    const pages = fixture.cluster.requests.filter(({ verb, kind }) => verb === 'list' && kind.startsWith('widgets'));
    expect(pages).toHaveLength(3);
    for (const { options } of pages) expect(options).toMatchObject({ metadataOnly: true, limit: 3 });
    const watches = fixture.cluster.requests.filter(({ verb }) => verb === 'watch');
    for (const { options } of watches) expect(options).toMatchObject({ metadataOnly: true });
  });

  it('R-1.4 a list starts passes of the owners of owned objects', async () => {
    fixture = new RelayFixture();
    await fixture.knows(target('owner', 'o'));
    const ownerReferences = ownedBy('owner', 'o');
    fixture.cluster.put(ConfigMaps, { namespace: 'ns', name: 'c', labels: MANAGED, ownerReferences });
    fixture.cluster.put(ConfigMaps, { namespace: 'ns', name: 'foreign', ownerReferences });
    await fixture.start();
    expect(fixture.lines('resync')).toEqual(['dependency ns/o <- configmaps/ns/c@101']);
  });

  it('I2 a relist after a gap reaches the readers of present objects with the version listed', async () => {
    await afterGap(
      async ({ cluster }) => {
        cluster.put(Secrets, { namespace: 'ns', name: 's' });
        await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
      },
      ({ cluster }) => void cluster.put(Secrets, { namespace: 'ns', name: 's' }),
    );
    expect(fixture.lines('resync')).toEqual(['dependency ns/reader <- secrets/ns/s@103']);
  });

  it('I2 a relist after a gap reaches the readers of an object that was deleted in it, by an id of the list', async () => {
    await afterGap(
      async ({ cluster }) => {
        cluster.put(Secrets, { namespace: 'ns', name: 's' });
        await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
        await fixture.readsObject(target('reader'), Secrets, 'ns', 'never-there');
      },
      ({ cluster }) => cluster.remove(Secrets, { namespace: 'ns', name: 's' }),
    );
    expect(fixture.lines('resync')).toEqual([
      'dependency ns/reader <- secrets/ns/never-there@absent at 103',
      'dependency ns/reader <- secrets/ns/s@absent at 103',
    ]);
  });

  it('I2 a relist after a gap reaches every reader of a list, because a deletion leaves no other trace', async () => {
    await afterGap(
      async ({ cluster }) => {
        cluster.put(Secrets, { namespace: 'ns', name: 's' });
        cluster.put(Secrets, { namespace: 'ns', name: 'stays' });
        await fixture.lists(target('lister'), Secrets, 'ns');
        await fixture.lists(target('of-empty'), Secrets, 'empty');
        await fixture.lists(target('of-all'), Secrets, '');
      },
      ({ cluster }) => cluster.remove(Secrets, { namespace: 'ns', name: 's' }),
    );
    expect(fixture.lines('resync').sort()).toEqual([
      'dependency ns/lister <- secrets/ns/*@absent at 104',
      'dependency ns/of-all <- secrets//*@absent at 104',
      'dependency ns/of-empty <- secrets/empty/*@absent at 104',
    ]);
  });

  it('I2 readers of an object without our label get an event when the labelled kind is listed again', async () => {
    await afterGap(
      async ({ cluster }) => {
        cluster.put(ConfigMaps, { namespace: 'ns', name: 'foreign' });
        await fixture.readsObject(target('reader'), ConfigMaps, 'ns', 'foreign');
      },
      ({ cluster }) => void cluster.put(Secrets, { namespace: 'ns', name: 'something-else' }),
    );
    expect(fixture.lines('resync')).toEqual(['dependency ns/reader <- configmaps/ns/foreign@absent at 103']);
  });

  it('I2 a list matches objects and edges in the order of the API server, for all names', async () => {
    const names = ['a/z', 'a-b/x', 'a/z-1', 'a/z.1', 'a/z1', 'ab/x', 'a-b/x-0', 'b/0', 'b/zz'];
    fixture = new RelayFixture();
    for (const [index, key] of names.entries()) {
      const [namespace = '', name = ''] = key.split('/');
      fixture.cluster.put(Secrets, { namespace, name });
      await fixture.readsObject(target(`r${index}`), Secrets, namespace, name);
      await fixture.readsObject(target(`gone${index}`), Secrets, namespace, `${name}-gone`);
    }
    await fixture.start();
    const expected = names.flatMap((key, index) => [
      `dependency ns/r${index} <- secrets/${key}@${101 + index}`,
      `dependency ns/gone${index} <- secrets/${key}-gone@absent at 109`,
    ]);
    expect(fixture.lines('resync').sort()).toEqual(expected.sort());
  });

  it('I2 a server that lists in another order makes edges look absent, and loses none', async () => {
    fixture = new RelayFixture();
    const { cluster } = fixture;
    for (const name of ['a', 'b', 'c']) {
      cluster.put(Secrets, { namespace: 'ns', name });
      await fixture.readsObject(target(`reads-${name}`), Secrets, 'ns', name);
    }
    const list = cluster.list.bind(cluster);
    cluster.list = async (type, options) => {
      const page = await list(type, options);
      return { ...page, items: page.items.reverse() };
    };
    await fixture.start();
    const woken = new Set(fixture.sent('resync').map(({ uid }) => uid));
    expect([...woken].sort()).toEqual(['reads-a', 'reads-b', 'reads-c']);
  });

  it('I2 edges are read only after the first page was answered', async () => {
    const order: string[] = [];
    fixture = new RelayFixture({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            const value: unknown = Reflect.get(inner, property);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              if (property === 'edges' && args[1] === SECRETS) order.push('edges');
              return value.apply(inner, args);
            };
          },
        }),
    });
    fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    const list = fixture.cluster.list.bind(fixture.cluster);
    fixture.cluster.list = async (type, options) => {
      const page = await list(type, options);
      if (type === Secrets) order.push('page');
      return page;
    };
    await fixture.start();
    expect(order.slice(0, 2)).toEqual(['page', 'edges']);
  });

  it('R-5.8 an incomplete list proves nothing: it starts again, and reaches no reader of an absent object before', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    for (let index = 0; index < 7; index += 1) cluster.put(Secrets, { namespace: 'ns', name: `s-${index}` });
    await fixture.readsObject(target('reader'), Secrets, 'ns', 'a-absent');
    let failures = 0;
    cluster.onRequest = ({ verb, kind, options }) => {
      if (verb !== 'list' || kind !== SECRETS || options.continueToken === undefined || failures === 3) return;
      failures += 1;
      throw failures === 1
        ? new ApiError('ServerError', 'oops', { status: 500 })
        : new ApiError('Expired', 'too old', { status: 410 });
    };
    await fixture.start();
    expect(failures).toBe(1);
    expect(fixture.sent('resync')).toEqual([]);
    expect(await fixture.checkpoint(SECRETS)).toBeUndefined();
    await clock.advance(10_000);
    expect(failures).toBe(3);
    expect(fixture.lines('resync')).toEqual(['dependency ns/reader <- secrets/ns/a-absent@absent at 108']);
    const first = cluster.requests.filter(({ verb, kind, options }) => {
      return verb === 'list' && kind === SECRETS && options.continueToken === undefined;
    });
    expect(first).toHaveLength(4);
  });

  it('R-5.8 an incomplete list proves nothing when so much is present that it is sent page by page', async () => {
    fixture = new RelayFixture({ relay: { pageSize: 600 } });
    const { cluster } = fixture;
    await fixture.readsObject(target('of-absent'), Secrets, 'ns', 'a-absent');
    for (let index = 0; index < 601; index += 1) {
      cluster.put(Secrets, { namespace: 'ns', name: `s-${index}` });
      await fixture.readsObject(target(`reader-${index}`), Secrets, 'ns', `s-${index}`);
    }
    cluster.onRequest = ({ options }) => {
      if (options.continueToken !== undefined) throw new ApiError('ServerError', 'oops', { status: 500 });
    };
    await fixture.start();
    const woken = fixture.sent('resync').map(({ uid }) => uid);
    expect(woken.length).toBeGreaterThanOrEqual(500);
    expect(woken).not.toContain('of-absent');
  });

  it('R-5.7 a list becomes a checkpoint only when all its events were accepted', async () => {
    fixture = new RelayFixture();
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    fixture.queues.resync.refuses = () => true;
    await fixture.start();
    await fixture.clock.advance(20_000);
    expect(await fixture.checkpoint()).toBeUndefined();
    fixture.queues.resync.refuses = () => false;
    await fixture.clock.advance(60_000);
    expect(await fixture.checkpoint()).toBe('1:101');
    expect(fixture.lines('resync')).toEqual(['updated ns/a@101']);
  });

  it('I2 a change during the list is watched from the version of the list', async () => {
    fixture = new RelayFixture();
    const { cluster, clock } = fixture;
    for (let index = 0; index < 4; index += 1) cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    cluster.onRequest = ({ verb, kind, options }) => {
      if (verb === 'list' && kind.startsWith('widgets') && options.continueToken !== undefined) {
        cluster.put(Widgets, { namespace: 'ns', name: 'w-0' });
        cluster.remove(Widgets, { namespace: 'ns', name: 'w-3' });
        cluster.put(Widgets, { namespace: 'ns', name: 'w-9' });
      }
    };
    await fixture.start();
    await clock.advance(0);
    expect(fixture.lines('resync')).toHaveLength(4);
    expect(fixture.lines('events').map((line) => line.replace(/@.*/, ''))).toEqual([
      'updated ns/w-0',
      'deleted ns/w-3',
      'created ns/w-9',
    ]);
  });

  it('R-5.2 a target that owns and read an object gets one message for it', async () => {
    fixture = new RelayFixture({ controllers: [widgets({ reads: [{ type: Widgets, mode: 'watch' }] })] });
    const reference = { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', name: 'o', uid: 'owner', controller: true };
    fixture.cluster.put(ConfigMaps, { namespace: 'ns', name: 'c', labels: MANAGED, ownerReferences: [reference] });
    const widget = fixture.cluster.put(Widgets, { namespace: 'ns', name: 'w' });
    await fixture.readsObject(target('owner', 'o'), ConfigMaps, 'ns', 'c');
    await fixture.readsObject(target(widget.metadata.uid, 'w'), Widgets, 'ns', 'w');
    await fixture.start();
    expect(fixture.lines('resync').sort()).toEqual(['dependency ns/o <- configmaps/ns/c@101', 'updated ns/w@102']);
  });
});

describe('memory', () => {
  it('R-5.7 a list of 50,000 objects and 50,000 edges keeps a few pages at a time', { timeout: 60_000 }, async () => {
    const OBJECTS = 50_000;
    const held = new Held();
    fixture = new RelayFixture({
      relay: { pageSize: 500 },
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            if (property === 'edges') return edgesOf(OBJECTS, held);
            const value: unknown = Reflect.get(inner, property);
            return typeof value === 'function' ? value.bind(inner) : value;
          },
        }),
    });
    const { cluster, queues } = fixture;
    let sent = 0;
    queues.resync.send = async (messages) => {
      sent += messages.length;
      return messages.map(() => ({ accepted: true }));
    };
    const list = cluster.list.bind(cluster);
    cluster.list = async (type, options = {}) => {
      if (type !== Secrets) return await list(type, options);
      await held.look();
      const from = Number(options.continueToken ?? 0);
      const items = Array.from({ length: options.limit ?? 0 }, (_, index) => {
        const name = nameOf(from + index);
        return held.keep({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion: '50' },
        });
      });
      const next = from + items.length;
      return { items, resourceVersion: '100', ...(next < OBJECTS ? { continueToken: String(next) } : {}) };
    };
    await fixture.start();
    await fixture.clock.advanceUntil(() => cluster.watching(SECRETS) === 1);
    expect(sent).toBe(OBJECTS);
    expect(held.most).toBeGreaterThan(0);
    expect(held.most).toBeLessThan(5_000);
  });
});

function nameOf(index: number): string {
  return `s-${String(index).padStart(6, '0')}`;
}

/** Pages of 250 edges in the namespace's only shard, one edge for each object. */
function edgesOf(total: number, held: Held) {
  return async (cluster: string, kind: string, shard: number, after = '0') => {
    if (kind !== SECRETS || shard !== 0) return { items: [] };
    const from = Number(after);
    const items = Array.from({ length: Math.min(250, total - from) }, (_, index): Edge => {
      const reader = target(`reader-${from + index}`);
      return held.keep({ cluster, key: `${kind}/ns/${nameOf(from + index)}`, reader, epoch: 1 });
    });
    const next = from + items.length;
    return { items, ...(next < total ? { next: String(next) } : {}) };
  };
}
