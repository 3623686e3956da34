import { afterEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { NamespacePace } from '../../../lib/engine/relay/namespace-pace.ts';
import { RelayFixture, Widgets } from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture?.stopAll());

const PACE = { namespacePace: { burst: 10, refillMs: 1_000 }, overflow: { everyMs: 5_000, size: 100, laneDepth: 20 } };
const NO_SPARE_LANE = { everyMs: 5_000, depth: 0 };

async function watching(spareLane = NO_SPARE_LANE): Promise<void> {
  fixture = new RelayFixture({ relay: { ...PACE, spareLane, checkpointEveryMs: 0 } });
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
}

const edit = (namespace: string, name: string, value: string) =>
  fixture.cluster.put(Widgets, { namespace, name, labels: { value } }).metadata.resourceVersion;
const names = (lane: 'events' | 'resync') => fixture.sent(lane).map(({ namespace, name }) => `${namespace}/${name}`);

describe('NamespacePace', () => {
  it('R-5.17 the pace admits a burst of a namespace, then a fixed number a second, separately for each namespace', () => {
    const pace = new NamespacePace({ burst: 3, refillMs: 500 });
    const admitted = (namespace: string, count: number, nowMs: number) =>
      Array.from({ length: count }, () => pace.admits(namespace, nowMs)).filter(Boolean).length;
    expect([admitted('a', 10, 0), admitted('b', 2, 0)]).toEqual([3, 2]);
    expect([admitted('a', 10, 1_000), admitted('a', 10, 1_000)]).toEqual([2, 0]);
    expect(admitted('b', 10, 1_000_000)).toBe(3);
  });

  it('R-5.17 the pace keeps no more than a thousand namespaces', () => {
    const pace = new NamespacePace({ burst: 1, refillMs: 1e9 });
    for (let index = 0; index < 5_000; index += 1) pace.admits(`n-${index}`, 0);
    expect(pace.admits('n-4999', 0)).toBe(false);
    expect(pace.admits('n-0', 0)).toBe(true);
  });
});

describe('a namespace beyond its pace', () => {
  it('R-5.17 fast edits of many objects leave the events lane to other namespaces, and send one event for each object on the other lane', async () => {
    await watching();
    for (let round = 0; round < 20; round += 1) {
      for (let object = 0; object < 15; object += 1) edit('flood', `w-${object}`, String(round));
      await fixture.clock.advance(200);
    }
    edit('quiet', 'w', 'x');
    await fixture.clock.advance(0);
    const prompt = names('events');
    expect(prompt.filter((name) => name.startsWith('flood/')).length).toBeLessThanOrEqual(10 + 5);
    expect(prompt.at(-1)).toBe('quiet/w');
    await fixture.clock.advance(5_000);
    expect(names('resync').length).toBeLessThanOrEqual(2 * 15);
  });

  it('R-5.17 a namespace whose neighbours are quiet uses the events lane up to its spare depth, the oldest events first', async () => {
    await watching({ everyMs: 200, depth: 14 });
    for (let object = 10; object < 40; object += 1) edit('flood', `w-${object}`, 'x');
    await fixture.clock.advance(0);
    expect(names('events').length).toBe(10);
    await fixture.clock.advance(200);
    expect(names('events')).toEqual(['flood/w-20', 'flood/w-21', 'flood/w-22', 'flood/w-23']);
    await fixture.clock.advance(4_000);
    expect([...names('events'), ...names('resync')]).toEqual([]);
    const { events } = fixture.queues;
    const received = await events.receive({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 30 });
    await fixture.clock.advance(200);
    expect(received.length).toBe(10);
    expect(names('events')).toEqual(Array.from({ length: 10 }, (_, index) => `flood/w-${24 + index}`));
    await fixture.clock.advance(1_000);
    expect(names('resync')).toEqual(Array.from({ length: 6 }, (_, index) => `flood/w-${34 + index}`));
  });

  it('R-5.17 an events lane that does not report its depth is left to other namespaces, and this is logged once', async () => {
    await watching({ everyMs: 200, depth: 14 });
    fixture.queues.events.waiting = () => Promise.reject(new InfrastructureError('no answer'));
    for (let object = 10; object < 40; object += 1) edit('flood', `w-${object}`, 'x');
    await fixture.clock.advance(4_900);
    expect(names('events').length).toBe(10);
    await fixture.clock.advance(200);
    expect(names('resync').length).toBe(20);
    expect(fixture.logger.lines.filter(({ message }) => message.includes('does not report')).length).toBe(1);
  });

  it('R-5.17 the newest version of each object is sent', async () => {
    await watching();
    const newest = new Map<string, string>();
    for (let round = 0; round < 20; round += 1) {
      for (let object = 0; object < 15; object += 1) {
        newest.set(`w-${object}`, edit('flood', `w-${object}`, String(round)));
      }
      await fixture.clock.advance(200);
    }
    await fixture.clock.advance(10_000);
    const sent = [...fixture.sent('events'), ...fixture.sent('resync')];
    for (const [name, version] of newest) {
      expect(sent.filter((event) => event.name === name).map(({ resourceVersion }) => resourceVersion)).toContain(
        version,
      );
    }
  });

  it('R-5.17 overflow waits while the resync lane is full, so that the number of objects bounds the backlog', async () => {
    await watching();
    for (let round = 0; round < 300; round += 1) {
      for (let object = 0; object < 15; object += 1) edit('flood', `w-${object}`, String(round));
      await fixture.clock.advance(200);
    }
    expect(await fixture.queues.resync.waiting()).toBeLessThanOrEqual(20 + 15);
  });

  it('R-5.17 more objects than may wait are sent at once', async () => {
    await watching();
    for (let object = 0; object < 250; object += 1) edit('flood', `w-${object}`, 'x');
    await fixture.clock.advance(0);
    expect(names('resync').length).toBeGreaterThanOrEqual(100);
  });

  it('R-5.17 R-5.7 the checkpoint waits for unsent events, and passes those that a later event replaces', async () => {
    await watching();
    for (let object = 0; object < 10; object += 1) edit('flood', `w-${object}`, 'x');
    await fixture.clock.advance(0);
    const reached = await fixture.checkpoint();
    const first = edit('flood', 'late', 'x');
    await fixture.clock.advance(0);
    expect(await fixture.checkpoint()).toBe(reached);
    const second = edit('flood', 'late', 'y');
    await fixture.clock.advance(0);
    expect(await fixture.checkpoint()).toBe(`1:${first}`);
    await fixture.clock.advance(5_000);
    expect(await fixture.checkpoint()).toBe(`1:${second}`);
    expect(fixture.sent('resync').map(({ resourceVersion }) => resourceVersion)).toEqual([second]);
  });

  it('R-5.17 R-5.5 a relay that ends sends the waiting events, or sees them again', async () => {
    await watching();
    for (let object = 0; object < 12; object += 1) edit('flood', `w-${object}`, 'x');
    await fixture.clock.advance(0);
    await fixture.stopAll();
    await fixture.start('another');
    await fixture.clock.advance(10_000);
    expect(new Set([...names('events'), ...names('resync')]).size).toBe(12);
  });
});
