import { afterEach, describe, expect, it } from 'vitest';
import { ConfigMaps, Namespaces } from '../../../lib/core/resource-type.ts';
import { CONFIG_MAPS, MANAGED, ownedBy, RelayFixture, target, targetOf, Widgets, widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  return fixture;
}

const OWNER = target('owner-uid', 'owner');

/** Namespaces of a child, and names in its owner reference. The UID in it is always the owner's. */
const REFERENCES = [
  ['in the namespace of its owner, under its name', 'ns', 'owner'],
  ['in another namespace', 'elsewhere', 'owner'],
  ['under another name', 'ns', 'somebody'],
  ['under a name that no object can have', 'ns', '../../admin'],
  ['under a name as long as a message', 'ns', 'n'.repeat(300_000)],
] as const;

describe('the relay and an owner reference', () => {
  it.each(REFERENCES)(
    'R-1.28 a watch event starts a pass of the owner at its recorded address when the reference is %s',
    async (_, namespace, name) => {
      const { cluster, clock } = await watching();
      await fixture.knows(OWNER);
      cluster.put(ConfigMaps, {
        namespace,
        name: 'child',
        labels: MANAGED,
        ownerReferences: ownedBy('owner-uid', name),
      });
      await clock.advance(0);
      expect(fixture.lines('events')).toEqual([`dependency ns/owner <- configmaps/${namespace}/child@102`]);
    },
  );

  it.each(REFERENCES)(
    'R-1.28 a list starts a pass of the owner at its recorded address when the reference is %s',
    async (_, namespace, name) => {
      fixture = new RelayFixture();
      await fixture.knows(OWNER);
      const ownerReferences = ownedBy('owner-uid', name);
      fixture.cluster.put(ConfigMaps, { namespace, name: 'child', labels: MANAGED, ownerReferences });
      await fixture.start();
      expect(fixture.lines('resync')).toEqual([`dependency ns/owner <- configmaps/${namespace}/child@101`]);
    },
  );

  it.each(REFERENCES)(
    'R-1.28 a watch and a list start no pass when the owner has no item and the reference is %s',
    async (_, namespace, name) => {
      fixture = new RelayFixture();
      const child = { namespace, labels: MANAGED, ownerReferences: ownedBy('owner-uid', name) };
      fixture.cluster.put(ConfigMaps, { ...child, name: 'listed' });
      await fixture.start();
      fixture.cluster.bookmark();
      fixture.cluster.put(ConfigMaps, { ...child, name: 'watched' });
      await fixture.clock.advance(10_000);
      expect([...fixture.lines('resync'), ...fixture.lines('events')]).toEqual([]);
    },
  );

  it('R-1.28 the relay sends only the own event of an owner that has no item', async () => {
    const { cluster, clock } = await watching();
    const owner = cluster.put(Widgets, { namespace: 'ns', name: 'owner' });
    const ownerReferences = ownedBy(owner.metadata.uid, 'owner');
    cluster.put(ConfigMaps, { namespace: 'elsewhere', name: 'child', labels: MANAGED, ownerReferences });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['created ns/owner@102']);
  });

  it('R-1.28 a watch event has the address of the edge when the owner has read the child', async () => {
    const { cluster, clock } = await watching();
    await fixture.readsObject(OWNER, ConfigMaps, 'elsewhere', 'child');
    const ownerReferences = ownedBy('owner-uid', 'somebody');
    cluster.put(ConfigMaps, { namespace: 'elsewhere', name: 'child', labels: MANAGED, ownerReferences });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/owner <- configmaps/elsewhere/child@102']);
  });

  it('R-1.28 a list sends the address of the edge when the owner has read the child', async () => {
    fixture = new RelayFixture();
    await fixture.knows(OWNER);
    await fixture.readsObject(OWNER, ConfigMaps, 'elsewhere', 'child');
    await fixture.readsObject(target('left', 'left'), ConfigMaps, 'elsewhere', 'left');
    for (const [uid, name] of [
      ['owner-uid', 'child'],
      ['left', 'left'],
    ] as const) {
      const ownerReferences = ownedBy(uid, 'somebody');
      fixture.cluster.put(ConfigMaps, { namespace: 'elsewhere', name, labels: MANAGED, ownerReferences });
    }
    await fixture.start();
    expect(fixture.lines('resync')).toEqual([
      'dependency ns/owner <- configmaps/elsewhere/child@101',
      'dependency ns/left <- configmaps/elsewhere/left@102',
    ]);
  });

  it('R-1.28 a cluster-scoped child starts a pass of an owner in a namespace', async () => {
    const { cluster, clock } = await watching({ controllers: [widgets({ owns: [Namespaces] })] });
    await fixture.knows(OWNER);
    cluster.put(Namespaces, {
      namespace: '',
      name: 'child',
      labels: MANAGED,
      ownerReferences: ownedBy('owner-uid', 'owner'),
    });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/owner <- namespaces//child@102']);
  });

  it.each([
    ['empty', ''],
    ['longer than a key of the table', 'u'.repeat(5_000)],
  ])('R-5.19 the relay ignores the reference and sends the other events when the UID is %s', async (_, uid) => {
    const asked: number[] = [];
    fixture = new RelayFixture({
      wrapStore: (store) =>
        new Proxy(store, {
          get(target, property) {
            const value = Reflect.get(target, property, target);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              if (property === 'readTargets')
                asked.push(...(args[0] as { uid: string }[]).map(({ uid }) => uid.length));
              return value.apply(target, args);
            };
          },
        }),
    });
    const { cluster, clock } = fixture;
    // The API server refuses an empty UID, so the test puts it into the events of the watch.
    const watch = cluster.watch.bind(cluster);
    cluster.watch = async function* (type, options) {
      for await (const event of watch(type, options)) {
        if (type === ConfigMaps && 'object' in event) event.object.metadata.ownerReferences = ownedBy(uid, 'owner');
        yield event;
      }
    };
    await fixture.start();
    const ownerReferences = ownedBy('owner-uid', 'owner');
    cluster.put(ConfigMaps, { namespace: 'ns', name: 'child', labels: MANAGED, ownerReferences });
    const widget = cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    expect(cluster.shown).toBe(2);
    expect(fixture.sent('events').map((event) => event.uid)).toEqual([widget.metadata.uid]);
    expect(asked.filter((length) => length === 0 || length > 64)).toEqual([]);
    expect(await fixture.checkpoint(CONFIG_MAPS)).toBeDefined();
  });

  it('R-6.7 R-1.28 the event of a target that left the selector keeps the address from the API server', async () => {
    const { cluster, clock } = await watching({
      scope: { labelSelector: 'team=red' },
      controllers: [widgets({ reads: [{ type: Widgets, mode: 'watch' }] })],
    });
    const left = cluster.put(Widgets, { namespace: 'ns', name: 'left', labels: { team: 'blue' } });
    await fixture.knows({ ...targetOf(left), name: 'somewhere' });
    cluster.put(Widgets, { namespace: 'ns', name: 'left', labels: { team: 'green' } });
    await clock.advance(0);
    expect(fixture.lines('events').at(-1)).toBe('deleted unselected ns/left@103');
  });
});
