import { afterEach, describe, expect, it } from 'vitest';
import { Leases, Secrets } from '../../../lib/core/resource-type.ts';
import { restoreCounterAnnotation } from '../../../lib/engine/relay/restore-witness.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { CONFIG_MAPS, RelayFixture, SECRETS, target, WIDGETS, Widgets } from './relay-fixture.ts';

const MINUTE = 60_000;
const WITNESS = { namespace: 'evenkeel-system', name: 'evenkeel-relay' };

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  await minutes(1);
  return fixture;
}

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    fixture.cluster.bookmark();
    await fixture.clock.advance(MINUTE);
  }
}

async function incarnation(): Promise<number> {
  return (await fixture.memory.readCluster('c1')).incarnation;
}

function forget(): void {
  fixture.sent('events');
  fixture.sent('resync');
}

describe('the restore counter', () => {
  it('R-5.8 the counter is raised every few minutes, in the table before the cluster', async () => {
    const order: string[] = [];
    fixture = new RelayFixture({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            const value: unknown = Reflect.get(inner, property);
            if (property === 'raiseRestoreCounter') order.push('table');
            return typeof value === 'function' ? value.bind(inner) : value;
          },
        }),
    });
    fixture.cluster.onRequest = ({ verb, kind }) => {
      if (verb === 'patch' && kind.startsWith('leases')) order.push('cluster');
    };
    await fixture.start();
    expect(fixture.counter).toBeUndefined();
    await minutes(21);
    expect(order.length).toBeGreaterThanOrEqual(8);
    expect(order.length).toBeLessThanOrEqual(14);
    expect(order).toEqual(order.map((_, index) => (index % 2 === 0 ? 'table' : 'cluster')));
    const { restoreCounter } = await fixture.memory.readCluster('c1');
    expect(fixture.counter).toBe(String(restoreCounter));
    expect(await incarnation()).toBe(1);
  });

  it('R-5.8 a raise that reached only the table is no restore, and is finished later', async () => {
    const { cluster, memory } = await watching();
    cluster.onRequest = ({ verb }) => {
      if (verb === 'patch') throw new ApiError('Timeout', 'no answer');
    };
    await minutes(20);
    expect((await memory.readCluster('c1')).restoreCounter).toBe(1);
    expect(await incarnation()).toBe(1);
    cluster.onRequest = () => {};
    await minutes(6);
    expect(fixture.counter).toBe(String((await memory.readCluster('c1')).restoreCounter));
    expect(await incarnation()).toBe(1);
  });

  it('R-5.8 a count that the cluster never stores is no restore, for any number of relays in sequence', async () => {
    const { cluster, memory } = await watching();
    await fixture.stopAll();
    cluster.onRequest = ({ verb, kind }) => {
      if (verb === 'patch' && kind.startsWith('leases')) throw new ApiError('Forbidden', 'no', { status: 403 });
    };
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const relay = await fixture.start(name);
      await minutes(12);
      await relay.stop();
    }
    expect(await incarnation()).toBe(1);
    expect(fixture.metrics.total('ClusterRestored')).toBe(0);
    cluster.onRequest = () => {};
    await fixture.start('fifth');
    await minutes(12);
    expect(await incarnation()).toBe(1);
    const { restoreCounter, restoreCounterSeen } = await memory.readCluster('c1');
    expect(restoreCounter).toBeGreaterThanOrEqual(2);
    expect(fixture.counter).toBe(String(restoreCounter));
    expect(restoreCounterSeen).toBe(restoreCounter);
  });

  it('R-5.8 a relay that died between the table and the cluster causes no restore', async () => {
    const { cluster, memory } = await watching();
    await minutes(6);
    expect(fixture.counter).toBe('1');
    cluster.onRequest = ({ verb }) => {
      if (verb === 'patch') throw new ApiError('Timeout', 'no answer');
    };
    await minutes(6);
    expect((await memory.readCluster('c1')).restoreCounter).toBe(2);
    await fixture.stopAll();
    cluster.onRequest = () => {};
    await fixture.start('next');
    await minutes(12);
    expect(await incarnation()).toBe(1);
    expect(Number(fixture.counter)).toBeGreaterThanOrEqual(3);
  });

  it('R-5.8 the next relay knows a count that arrived although its relay died before the answer', async () => {
    const { cluster, clock, memory } = await watching();
    await minutes(6);
    const snapshot = cluster.snapshot();
    cluster.onRequest = ({ verb, kind }) => {
      if (verb !== 'patch' || !kind.startsWith('leases')) return;
      cluster.put(Leases, { ...WITNESS, annotations: { [restoreCounterAnnotation(undefined)]: '2' } });
      throw new ApiError('Timeout', 'no answer');
    };
    await clock.advanceUntil(() => fixture.counter === '2');
    await fixture.stopAll();
    cluster.onRequest = () => {};
    expect(await memory.readCluster('c1')).toMatchObject({ restoreCounter: 2, restoreCounterSeen: 1 });
    await fixture.start('next');
    expect(await memory.readCluster('c1')).toMatchObject({ restoreCounter: 2, restoreCounterSeen: 2 });
    cluster.restore({ ...snapshot, revision: snapshot.revision + 100 });
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
  });

  it.each([2, 3, 50])(
    'R-5.21 R-5.8 one new incarnation starts when the cluster counts %i and an older table counts 1',
    async (count) => {
      const { cluster, memory } = await watching();
      await minutes(6);
      expect(fixture.counter).toBe('1');
      await fixture.stopAll();
      cluster.put(Leases, { ...WITNESS, annotations: { [restoreCounterAnnotation(undefined)]: String(count) } });
      forget();
      await fixture.start('next');
      await minutes(1);
      expect(await incarnation()).toBe(2);
      expect(fixture.counter).toBe('1');
      await minutes(12);
      expect(await incarnation()).toBe(2);
      const { restoreCounter, restoreCounterSeen } = await memory.readCluster('c1');
      expect(fixture.counter).toBe(String(restoreCounter));
      expect(restoreCounterSeen).toBe(restoreCounter);
    },
  );

  it('R-5.8 an older table starts one new incarnation when none of the next relays can write the count back', async () => {
    const { cluster } = await watching();
    await minutes(6);
    await fixture.stopAll();
    cluster.put(Leases, { ...WITNESS, annotations: { [restoreCounterAnnotation(undefined)]: '9' } });
    cluster.onRequest = ({ verb, kind }) => {
      if (verb === 'patch' && kind.startsWith('leases')) throw new ApiError('Forbidden', 'no', { status: 403 });
    };
    for (const name of ['first', 'second', 'third']) {
      const relay = await fixture.start(name);
      await minutes(12);
      await relay.stop();
    }
    expect(await incarnation()).toBe(2);
    expect(fixture.metrics.total('ClusterRestored')).toBe(1);
  });

  it('R-5.8 an empty table starts no new incarnation, for any count in the cluster', async () => {
    fixture = new RelayFixture();
    fixture.cluster.put(Leases, { ...WITNESS, annotations: { [restoreCounterAnnotation(undefined)]: '40' } });
    await fixture.start();
    await minutes(12);
    expect(await incarnation()).toBe(1);
    expect(fixture.counter).toBe(String((await fixture.memory.readCluster('c1')).restoreCounter));
  });

  it('R-5.8 a missing namespace is reported once, counts nothing, and is used when it exists', async () => {
    fixture = new RelayFixture();
    const { cluster, memory, logger } = fixture;
    let exists = false;
    cluster.onRequest = ({ verb, kind }) => {
      if (verb === 'create' && kind.startsWith('leases') && !exists) {
        throw new ApiError('NotFound', 'no such namespace', { status: 404 });
      }
    };
    await fixture.start();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(20);
    expect(fixture.lines('events')).toEqual(['created ns/a@101']);
    const reports = () => logger.lines.filter(({ message }) => message.includes('restore counter'));
    expect(reports()).toHaveLength(1);
    expect(reports()[0]?.fields.why).toBe('namespace evenkeel-system does not exist');
    expect((await memory.readCluster('c1')).restoreCounter).toBe(0);
    exists = true;
    await minutes(6);
    expect(fixture.counter).toBe('1');
    expect(reports().map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(await incarnation()).toBe(1);
  });

  it('R-1.10 deployments that share a cluster count separately in the one Lease', async () => {
    const witness = (deployment: string) => ({ ...WITNESS, deployment });
    fixture = new RelayFixture({ relay: { witness: witness('cloud') } });
    await fixture.start('cloud');
    await minutes(20);
    const other = new RelayFixture({ relay: { witness: witness('laptop') }, on: fixture });
    await other.start('laptop');
    await minutes(20);
    await other.stopAll();
    expect(await incarnation()).toBe(1);
    expect((await other.memory.readCluster('c1')).incarnation).toBe(1);
    const annotations = fixture.cluster.read(Leases, WITNESS)?.metadata.annotations ?? {};
    const { restoreCounter } = await fixture.memory.readCluster('c1');
    expect(annotations[restoreCounterAnnotation('cloud')]).toBe(String(restoreCounter));
    expect(Number(annotations[restoreCounterAnnotation('laptop')])).toBeLessThan(restoreCounter);
  });

  it('R-5.10 forbidden Leases stop no kind', async () => {
    fixture = new RelayFixture();
    fixture.cluster.onRequest = ({ kind }) => {
      if (kind.startsWith('leases')) throw new ApiError('Forbidden', 'not allowed', { status: 403 });
    };
    await fixture.start();
    fixture.cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(5);
    expect(fixture.lines('events')).toEqual(['created ns/a@101']);
  });

  it('R-5.8 events wait while the answer about the counter fails', async () => {
    const { cluster, clock } = await watching();
    forget();
    cluster.onRequest = ({ kind }) => {
      if (kind.startsWith('leases')) throw new ApiError('ServerError', 'oops', { status: 500 });
    };
    cluster.cut();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(MINUTE);
    expect(fixture.sent('events')).toEqual([]);
    cluster.onRequest = () => {};
    await clock.advance(MINUTE);
    expect(fixture.lines('events')).toHaveLength(1);
  });
});

describe('a restored cluster', () => {
  it('R-5.8 a restored cluster is recognized by its counter when its versions are ahead, and everything is listed again', async () => {
    const { cluster, clock } = await watching();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(6);
    const snapshot = cluster.snapshot();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(6);
    forget();
    cluster.restore(snapshot);
    // Before the relay comes back, versions have passed what it knew.
    for (let index = 0; index < 50; index += 1) cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    const events = [...fixture.sent('events'), ...fixture.sent('resync')];
    expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b']));
    expect(events.every((event) => event.incarnation === 2)).toBe(true);
    for (const kind of [WIDGETS, SECRETS, CONFIG_MAPS]) expect(await fixture.checkpoint(kind)).toMatch(/^2:/);
    expect(fixture.metrics.total('ClusterRestored')).toBe(1);
    expect(fixture.counter).toBe(String((await fixture.memory.readCluster('c1')).restoreCounter));

    await fixture.stopAll();
    await fixture.start('next');
    await minutes(1);
    expect(await incarnation()).toBe(2);
  });

  it('R-5.8 a restored cluster is recognized by a list version below the checkpoint when the counter shows nothing', async () => {
    const { cluster, clock } = await watching();
    const snapshot = cluster.snapshot();
    for (let index = 0; index < 5; index += 1) cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    forget();
    cluster.restore(snapshot);
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    // The version number of an event that was sent before, under the new incarnation.
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    const [event] = fixture.sent('events');
    expect(event).toMatchObject({ incarnation: 2, cause: 'created', name: 'a' });
  });

  it('R-5.8 a restore starts one new incarnation when every kind finds both its version and the counter lower', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    const snapshot = cluster.snapshot();
    for (let index = 0; index < 5; index += 1) cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(6);
    cluster.restore(snapshot);
    await clock.advance(5_000);
    await minutes(6);
    expect(await incarnation()).toBe(2);
    expect(fixture.metrics.total('ClusterRestored')).toBe(1);
  });

  it('R-5.8 a restore starts one new incarnation when the count cannot be written back', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    const snapshot = cluster.snapshot();
    await minutes(6);
    cluster.onRequest = ({ verb }) => {
      if (verb === 'patch') throw new ApiError('Forbidden', 'not allowed', { status: 403 });
    };
    cluster.restore({ ...snapshot, revision: snapshot.revision + 100 });
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    await minutes(30);
    expect(await incarnation()).toBe(2);
    cluster.onRequest = () => {};
    await minutes(6);
    expect(fixture.counter).toBe(String((await fixture.memory.readCluster('c1')).restoreCounter));
  });

  it('R-5.8 a restore starts one new incarnation when none of the next relays can write the count back', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    const snapshot = cluster.snapshot();
    await minutes(6);
    cluster.onRequest = ({ verb }) => {
      if (verb === 'patch') throw new ApiError('Forbidden', 'not allowed', { status: 403 });
    };
    cluster.restore({ ...snapshot, revision: snapshot.revision + 100 });
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    for (const name of ['second', 'third']) {
      await fixture.stopAll();
      await fixture.start(name);
      await minutes(12);
    }
    expect(await incarnation()).toBe(2);
  });

  it('R-5.8 every kind lists again when one of them noticed the restore', async () => {
    const { cluster, clock } = await watching();
    const snapshot = cluster.snapshot();
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(6_000);
    cluster.bookmark();
    await clock.advance(0);
    await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
    forget();
    cluster.requests.length = 0;
    cluster.restore(snapshot);
    await clock.advance(5_000);
    const listed = new Set(
      cluster.requests.filter(({ verb, options }) => verb === 'list' && options.limit !== 1).map(({ kind }) => kind),
    );
    expect([...listed].sort()).toEqual([CONFIG_MAPS, SECRETS, WIDGETS].sort());
    expect(await incarnation()).toBe(2);
    expect(fixture.lines('resync')).toEqual([expect.stringMatching(/^dependency ns\/reader <- secrets\/ns\/s@absent/)]);
  });

  it('R-5.8 a restore between the check and the connection is noticed before the first event is used', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    const snapshot = cluster.snapshot();
    await minutes(6);
    forget();
    let restored = false;
    cluster.onRequest = ({ verb, kind }) => {
      if (verb !== 'watch' || kind !== WIDGETS || restored) return;
      restored = true;
      cluster.restore(snapshot);
      for (let index = 0; index < 50; index += 1) cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    };
    cluster.cut();
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    const events = [...fixture.sent('events'), ...fixture.sent('resync')];
    expect(events.length).toBeGreaterThan(0);
    expect(events.every((event) => event.incarnation === 2)).toBe(true);
  });

  it('R-5.8 a raise before any connection notices the restore too, and does not overwrite the evidence', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    const old = cluster.read(Leases, WITNESS)?.metadata.annotations ?? {};
    await minutes(6);
    // Only the counter's Lease shows the restore; no watch is broken by it.
    expect(old).toHaveProperty([restoreCounterAnnotation(undefined)]);
    cluster.put(Leases, { ...WITNESS, annotations: old });
    await clock.advance(6 * MINUTE);
    expect(await incarnation()).toBe(2);
  });

  it('R-5.8 running watches continue in the new incarnation within seconds when the operator reports a restore', async () => {
    const { cluster, clock, memory } = await watching();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    forget();
    await memory.startIncarnation('c1', 1);
    await clock.advance(11_000);
    expect(fixture.sent('resync').map(({ name, incarnation }) => `${name} in ${incarnation}`)).toEqual(['a in 2']);
    expect(await fixture.checkpoint()).toMatch(/^2:/);
  });

  it('R-5.8 a missing Lease counts as a restore when the table has counted, and only once', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    expect(fixture.counter).toBe('1');
    cluster.remove(Leases, WITNESS);
    cluster.cut();
    await clock.advance(5_000);
    expect(await incarnation()).toBe(2);
    await fixture.stopAll();
    await fixture.start('next');
    await minutes(10);
    expect(await incarnation()).toBe(2);
  });

  it('R-5.8 a crash between creating a missing Lease and the new incarnation hides nothing', async () => {
    const { cluster, clock } = await watching();
    await minutes(6);
    await fixture.stopAll();
    cluster.remove(Leases, WITNESS);
    // As a relay left it that died right after it created the Lease.
    cluster.put(Leases, WITNESS);
    await fixture.start('next');
    await minutes(1);
    await clock.advance(0);
    expect(await incarnation()).toBe(2);
  });

  it('R-5.8 a relay does not continue from a checkpoint of another incarnation', async () => {
    const { cluster, memory } = await watching();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await minutes(1);
    await fixture.stopAll();
    forget();
    await memory.startIncarnation('c1', 1);
    await fixture.start('next');
    expect(fixture.sent('resync').map(({ name, incarnation }) => `${name} in ${incarnation}`)).toEqual(['a in 2']);
  });

  it('R-5.8 unsent events and unwritten checkpoints of an older incarnation are dropped', async () => {
    const { cluster, clock, queues, memory } = await watching();
    queues.events.refuses = () => true;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    forget();
    await memory.startIncarnation('c1', 1);
    await clock.advance(11_000);
    queues.events.refuses = () => false;
    await clock.advance(2 * MINUTE);
    expect(fixture.sent('events')).toEqual([]);
    expect(fixture.sent('resync').map(({ name, incarnation }) => `${name} in ${incarnation}`)).toEqual(['a in 2']);
    expect(await fixture.checkpoint()).toMatch(/^2:/);
  });
});
