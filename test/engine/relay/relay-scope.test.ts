import { afterEach, describe, expect, it } from 'vitest';
import { shardOf } from '../../../lib/core/hash.ts';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { MANAGED, ownedBy, RelayFixture, target, targetOf, WIDGETS, Widgets, widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  return fixture;
}

/** Widgets that other widgets read, so the server must not filter any out. */
const READ_BY_OTHERS = [widgets({ reads: [{ type: Widgets, mode: 'watch' }] })];
const RED = { labelSelector: 'team=red' };

describe('an installation that is limited', () => {
  it('R-6.7 a deployment limited to namespaces watches those, each with its own checkpoint', async () => {
    const { cluster, clock } = await watching({ scope: { namespaces: ['a', 'b'] } });
    for (const namespace of ['a', 'b', 'c']) {
      cluster.put(Widgets, { namespace, name: 'w' });
      cluster.put(Secrets, { namespace, name: 's' });
      await fixture.readsObject(target('reader'), Secrets, namespace, 's');
    }
    cluster.put(Secrets, { namespace: 'b', name: 's' });
    await clock.advance(6_000);
    cluster.bookmark();
    await clock.advance(0);
    expect(fixture.lines('events').sort()).toEqual([
      'created a/w@102',
      'created b/w@104',
      'dependency ns/reader <- secrets/a/s@103',
      'dependency ns/reader <- secrets/b/s@105',
      'dependency ns/reader <- secrets/b/s@108',
    ]);
    expect(await fixture.checkpoint(`${WIDGETS}@a`)).toBe('1:108');
    expect(await fixture.checkpoint(`${WIDGETS}@b`)).toBe('1:108');
    expect(await fixture.checkpoint()).toBeUndefined();
  });

  it('R-6.7 a relist in a namespace reads only the edges of that namespace', async () => {
    fixture = new RelayFixture({ scope: { namespaces: ['a'] } });
    const { shards } = fixture.memory;
    const beside = Array.from({ length: 50 }, (_, index) => `b${index}`);
    expect(beside.some((namespace) => shardOf(namespace, shards) === shardOf('a', shards))).toBe(true);
    await fixture.readsObject(target('of-a'), Secrets, 'a', 'gone');
    for (const namespace of beside) await fixture.readsObject(target(`of-${namespace}`), Secrets, namespace, 'gone');
    await fixture.lists(target('lists-a'), Secrets, 'a');
    await fixture.start();
    expect(fixture.lines('resync')).toEqual([
      'dependency ns/lists-a <- secrets/a/*@absent at 100',
      'dependency ns/of-a <- secrets/a/gone@absent at 100',
    ]);
  });

  it('R-6.7 an owner in another namespace is not a target of a limited deployment', async () => {
    const { cluster, clock } = await watching({
      scope: { namespaces: ['a'] },
      controllers: [widgets({ reachesAllNamespaces: true })],
    });
    await fixture.knows(target('owner', 'o', 'a'));
    const ownerReferences = ownedBy('owner', 'o');
    cluster.put(ConfigMaps, { namespace: 'b', name: 'c', labels: MANAGED, ownerReferences });
    cluster.put(ConfigMaps, { namespace: 'a', name: 'c', labels: MANAGED, ownerReferences });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency a/o <- configmaps/a/c@103']);
  });

  it('R-6.7 an object that leaves the selector gets a deletion event, and the pass reads it', async () => {
    const { cluster, clock } = await watching({ scope: RED });
    cluster.put(Widgets, { namespace: 'ns', name: 'blue', labels: { team: 'blue' } });
    cluster.put(Widgets, { namespace: 'ns', name: 'red', labels: { team: 'red' } });
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'red', labels: { team: 'blue' } });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['created ns/red@103', 'deleted ns/red@104']);
  });

  it('R-6.7 a kind that others read sends only objects that are selected, or that were a target before', async () => {
    const { cluster, clock, memory } = await watching({ scope: RED, controllers: READ_BY_OTHERS });
    const blue = cluster.put(Widgets, { namespace: 'ns', name: 'blue', labels: { team: 'blue' } });
    const red = cluster.put(Widgets, { namespace: 'ns', name: 'red', labels: { team: 'red' } });
    await fixture.readsObject(target('reader'), Widgets, 'ns', 'blue');
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual([
      'dependency ns/reader <- widgets.test.evenkeel.dev/ns/blue@102',
      'created ns/red@103',
    ]);
    const lease = {
      owner: 'w',
      attempt: '1',
      nowMs: clock.now(),
      leaseUntilMs: clock.now() + 1,
      latestUntilMs: clock.now() + 1 + 4_000,
    };
    await memory.acquire({ target: targetOf(red), ...lease });
    cluster.put(Widgets, { namespace: 'ns', name: 'red', labels: { team: 'blue' } });
    await clock.advance(0);
    cluster.remove(Widgets, { namespace: 'ns', name: 'red' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['deleted unselected ns/red@104', 'deleted ns/red@105']);
    expect(blue.metadata.uid).not.toBe(red.metadata.uid);
  });

  it('R-6.7 an object that is a target by our label alone needs no other label', async () => {
    const { cluster, clock } = await watching({ scope: RED, controllers: [widgets({ onlyManaged: true })] });
    cluster.put(Widgets, { namespace: 'ns', name: 'ours', labels: MANAGED });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['created ns/ours@102']);
  });

  it('R-6.7 a relist finds objects that left the selector in a gap', async () => {
    fixture = new RelayFixture({ scope: RED, controllers: READ_BY_OTHERS });
    const { cluster, clock, memory } = fixture;
    cluster.put(Widgets, { namespace: 'ns', name: 'never-ours', labels: { team: 'blue' } });
    const left = cluster.put(Widgets, { namespace: 'ns', name: 'left', labels: { team: 'blue' } });
    const lease = {
      owner: 'w',
      attempt: '1',
      nowMs: clock.now(),
      leaseUntilMs: clock.now() + 1,
      latestUntilMs: clock.now() + 1 + 4_000,
    };
    await memory.acquire({ target: targetOf(left), ...lease });
    await fixture.start();
    expect(fixture.lines('resync')).toEqual(['deleted unselected ns/left@102']);
  });
});

describe('a paused cluster', () => {
  it('R-6.7 a paused cluster gets no request, and changes of that time are sent when it is resumed', async () => {
    const { cluster, clock, memory } = await watching();
    await memory.setPaused('c1', true);
    await clock.advance(11_000);
    expect(cluster.watching(WIDGETS)).toBe(0);
    const before = cluster.requests.length;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(120_000);
    expect(cluster.requests.length).toBe(before);
    expect(fixture.sent('events')).toEqual([]);
    await memory.setPaused('c1', false);
    await clock.advance(11_000);
    expect(fixture.lines('events')).toEqual(['created ns/a@102']);
  });
});
