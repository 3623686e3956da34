import { afterEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { RelayFixture, target, WIDGETS, Widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function watching(options: ConstructorParameters<typeof RelayFixture>[0] = {}): Promise<RelayFixture> {
  fixture = new RelayFixture(options);
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  return fixture;
}

describe('the checkpoint', () => {
  it('R-5.7 the checkpoint does not pass an event that the queue has not accepted', async () => {
    const { cluster, clock, queues } = await watching();
    const before = await fixture.checkpoint();
    queues.events.refuses = ({ name }) => name === 'refused';
    cluster.put(Widgets, { namespace: 'ns', name: 'refused' });
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'later' });
    cluster.bookmark();
    await clock.advance(60_000);
    expect(await fixture.checkpoint()).toBe(before);
    queues.events.refuses = () => false;
    await clock.advance(120_000);
    expect(fixture.lines('events')).toEqual(['created ns/refused@102', 'created ns/later@103']);
    expect(await fixture.checkpoint()).toBe('1:103');
  });

  it('R-5.7 a relay that stops while the queue refuses leaves the event to the next one', async () => {
    const { cluster, clock, queues } = await watching();
    queues.events.refuses = () => true;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(10_000);
    await fixture.stopAll();
    queues.events.refuses = () => false;
    await fixture.start('next');
    expect(fixture.lines('events')).toEqual(['created ns/a@102']);
    expect(cluster.requests.filter(({ verb, kind }) => verb === 'list' && kind === WIDGETS)).toHaveLength(2);
  });

  it('R-5.7 only the refused events of a batch are sent again, before later events of the same target', async () => {
    const { cluster, clock, queues } = await watching();
    queues.events.refuses = () => true;
    cluster.put(Widgets, { namespace: 'ns', name: 'first' });
    await clock.advance(0);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    queues.events.refuses = ({ name }) => name === 'a';
    await clock.advance(1_000);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(1_000);
    expect(fixture.lines('events')).toEqual(['created ns/first@102', 'created ns/b@104']);
    queues.events.refuses = () => false;
    await clock.advance(60_000);
    expect(fixture.lines('events')).toEqual(['created ns/a@103', 'updated ns/a@105']);
    expect(queues.events.offered.filter((name) => name === 'b')).toHaveLength(1);
  });

  it('R-5.7 a queue that is down stops the reading, so that the number of waiting events is bounded', async () => {
    const { cluster, clock, queues } = await watching({ relay: { batchSize: 5 } });
    queues.events.refuses = () => true;
    cluster.shown = 0;
    for (let index = 0; index < 100; index += 1) cluster.put(Widgets, { namespace: 'ns', name: `w-${index}` });
    await clock.advance(20_000);
    // At most one batch that is being sent and one that was read ahead.
    expect(cluster.shown).toBeGreaterThan(0);
    expect(cluster.shown).toBeLessThanOrEqual(10);
    queues.events.refuses = () => false;
    await clock.advance(60_000);
    expect(fixture.sent('events')).toHaveLength(100);
  });

  it('R-5.7 a relay continues from the stored version without a list, and sends nothing twice', async () => {
    const { cluster, clock } = await watching();
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    await fixture.stopAll();
    cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    cluster.requests.length = 0;
    await fixture.start('next');
    expect(fixture.lines('events')).toEqual(['created ns/a@102', 'created ns/b@103']);
    expect(fixture.lines('resync')).toEqual([]);
    const lists = cluster.requests.filter(({ verb, kind }) => verb === 'list' && kind === WIDGETS);
    expect(lists.map(({ options }) => options.limit)).toEqual([1]);
  });

  it('R-5.11 a checkpoint is written from time to time, not with each event', async () => {
    let saves = 0;
    const { cluster, clock } = await watching({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            if (property === 'saveCheckpoint') saves += 1;
            const value: unknown = Reflect.get(inner, property);
            return typeof value === 'function' ? value.bind(inner) : value;
          },
        }),
    });
    saves = 0;
    for (let index = 0; index < 50; index += 1) {
      cluster.put(Widgets, { namespace: 'ns', name: 'a' });
      await clock.advance(100);
    }
    expect(fixture.sent('events')).toHaveLength(50);
    expect(saves).toBeLessThanOrEqual(2);
  });

  it('R-5.7 a table that does not answer delays the checkpoint and no event', async () => {
    let isDown = false;
    const { cluster, clock } = await watching({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (inner, property) => {
            const value: unknown = Reflect.get(inner, property);
            if (property === 'saveCheckpoint' && isDown)
              return async () => {
                throw new InfrastructureError('down');
              };
            return typeof value === 'function' ? value.bind(inner) : value;
          },
        }),
    });
    const before = await fixture.checkpoint();
    isDown = true;
    await clock.advance(10_000);
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['created ns/a@102']);
    expect(await fixture.checkpoint()).toBe(before);
    isDown = false;
    await clock.advance(6_000);
    cluster.bookmark();
    await clock.advance(0);
    expect(await fixture.checkpoint()).toBe('1:102');
  });

  it('I2 events that were read before the connection broke are handled', async () => {
    const { cluster, clock, queues } = await watching();
    queues.events.refuses = () => true;
    cluster.put(Widgets, { namespace: 'ns', name: 'a' });
    cluster.put(Widgets, { namespace: 'ns', name: 'b' });
    await clock.advance(0);
    cluster.cut(new ApiError('Unreachable', 'reset'));
    await clock.advance(0);
    queues.events.refuses = () => false;
    await clock.advance(10_000);
    expect(fixture.lines('events')).toEqual(['created ns/a@102', 'created ns/b@103']);
  });

  it('I2 edges are read again at each event, so that a new one is found', async () => {
    const { cluster, clock } = await watching();
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(0);
    await fixture.readsObject(target('reader'), Secrets, 'ns', 's');
    cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await clock.advance(0);
    expect(fixture.lines('events')).toEqual(['dependency ns/reader <- secrets/ns/s@103']);
  });
});
