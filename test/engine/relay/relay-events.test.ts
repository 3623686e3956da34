import { afterEach, describe, expect, it } from 'vitest';
import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { MANAGED, RelayFixture, target, targetOf, Widgets, widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

/** A relay that has listed an empty cluster and watches it. */
async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  return fixture;
}

describe('whom a watch event wakes', () => {
  it('R-5.1 a watch event reaches the target itself, as created, updated or deleted, with the version that was seen', async () => {
    const { cluster, clock } = await watching();
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a', labels: { x: 'y' } });
    await clock.advance(0);
    cluster.remove(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    const events = fixture.sent('events');
    expect(events).toEqual([
      {
        v: 1,
        cluster: 'c1',
        incarnation: 1,
        kind: 'widgets.test.evenkeel.dev',
        namespace: 'ns',
        name: 'a',
        uid: widget.metadata.uid,
        resourceVersion: '102',
        cause: 'created',
        at: clock.now(),
      },
      expect.objectContaining({ cause: 'updated', resourceVersion: '103' }),
      expect.objectContaining({ cause: 'deleted', resourceVersion: '104' }),
    ]);
    expect(fixture.sent('resync')).toEqual([]);
  });

  it('R-1.4 a watch event reaches the controller owner of an owned object, by its UID', async () => {
    const { cluster, clock } = await watching();
    await fixture.knows(target('uid-owner', 'owner'));
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'Secret', name: 'other', uid: 'uid-other' },
      { apiVersion: 'test.evenkeel.dev/v2', kind: 'Widget', name: 'owner', uid: 'uid-owner', controller: true },
    ];
    const child = cluster.put(ConfigMaps, { namespace: 'ns', name: 'child', labels: MANAGED, ownerReferences });
    await clock.advance(0);
    cluster.remove(ConfigMaps, { namespace: 'ns', name: 'child' });
    await clock.advance(0);
    const events = fixture.sent('events');
    expect(events.map(({ uid }) => uid)).toEqual(['uid-owner', 'uid-owner']);
    const changed = { kind: 'configmaps', namespace: 'ns', name: 'child', uid: child.metadata.uid };
    expect(events.map((event) => event.changed)).toEqual([
      { ...changed, resourceVersion: '102' },
      { ...changed, resourceVersion: '103', deleted: true },
    ]);
  });

  it('R-5.11 a watch event sends no message, and writes only the checkpoint, when nobody read the object', async () => {
    const { cluster, clock } = await watching();
    cluster.put(Secrets, { namespace: 'ns', name: 'unread' });
    cluster.put(ConfigMaps, { namespace: 'ns', name: 'ownerless', labels: MANAGED });
    await clock.advance(10_000);
    expect(fixture.queues.events.attempts).toBe(0);
  });

  it('R-1.8 a watch event reaches every target that read the object, or listed its namespace, and no other', async () => {
    const { cluster, clock } = await watching();
    await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
    await fixture.lists(target('lister'), Secrets, 'ns');
    await fixture.readsObject(target('of-another-name'), Secrets, 'ns', 's-1');
    await fixture.readsObject(target('of-another-namespace'), Secrets, 'ns-1', 's');
    await fixture.lists(target('lister-elsewhere'), Secrets, 'ns-1');
    await fixture.lists(target('lister-of-all'), Secrets, '');
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual([
      'dependency ns/reader <- secrets/ns/s@102',
      'dependency ns/lister <- secrets/ns/s@102',
    ]);
    cluster.remove(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual([
      'dependency ns/reader <- secrets/ns/s@103 deleted',
      'dependency ns/lister <- secrets/ns/s@103 deleted',
    ]);
  });

  it('R-3.4 a watch event reaches targets that listed all namespaces, if their kind declares it', async () => {
    const reads = [{ type: Secrets, mode: 'watch', listsAllNamespaces: true } as const];
    const { cluster, clock } = await watching({ controllers: [widgets({ reads })] });
    await fixture.lists(target('lister-of-all'), Secrets, '');
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/lister-of-all <- secrets/ns/s@102']);
  });

  it('R-5.2 a watch event reaches a target once when the target owns, read and listed the object', async () => {
    const { cluster, clock } = await watching();
    const owner = target('owner');
    await fixture.readsObject(owner, ConfigMaps, 'ns', 'child');
    await fixture.lists(owner, ConfigMaps, 'ns');
    const reference = {
      apiVersion: 'test.evenkeel.dev/v1',
      kind: 'Widget',
      name: 'owner',
      uid: 'owner',
      controller: true,
    };
    cluster.put(ConfigMaps, { namespace: 'ns', name: 'child', labels: MANAGED, ownerReferences: [reference] });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/owner <- configmaps/ns/child@102']);
    expect(fixture.queues.events.offered).toEqual(['owner']);
  });

  it('R-1.8 a watch event of a primary object that others read reaches it once, and its readers', async () => {
    const reads = [{ type: Widgets, mode: 'watch' } as const];
    const { cluster, clock } = await watching({ controllers: [widgets({ reads })] });
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    fixture.sent('events');
    await fixture.readsObject(targetOf(widget), Widgets, 'ns', 'a');
    await fixture.lists(target('b'), Widgets, 'ns');
    cluster.put(Widgets, { namespace: 'ns', name: 'a', labels: { x: 'y' } });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual([
      'updated ns/a@103',
      'dependency ns/b <- widgets.test.evenkeel.dev/ns/a@103',
    ]);
  });

  it('R-1.8 readers of an object that loses our label get a deletion', async () => {
    const { cluster, clock } = await watching();
    cluster.put(ConfigMaps, { namespace: 'ns', name: 'child', labels: MANAGED });
    await clock.advance(0);
    await fixture.readsObject(target('reader'), ConfigMaps, 'ns', 'child');
    cluster.put(ConfigMaps, { namespace: 'ns', name: 'child', labels: {} });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/reader <- configmaps/ns/child@103 deleted']);
  });

  it('R-5.11 of several changes that arrive together, only the last one about each object is sent', async () => {
    const { cluster, clock } = await watching();
    await fixture.lists(target('lister'), Secrets, 'ns');
    fixture.queues.events.refuses = () => true;
    cluster.put(Secrets, { namespace: 'ns', name: 'first' });
    await clock.advance(0);
    for (let round = 0; round < 3; round += 1) {
      cluster.put(Secrets, { namespace: 'ns', name: 's' });
      cluster.put(Secrets, { namespace: 'ns', name: 't' });
    }
    fixture.queues.events.refuses = () => false;
    await clock.advance(1_000);
    expect(fixture.lines('events')).toEqual([
      'dependency ns/lister <- secrets/ns/first@102',
      'dependency ns/lister <- secrets/ns/s@107',
      'dependency ns/lister <- secrets/ns/t@108',
    ]);
  });
});
