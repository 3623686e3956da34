import { afterEach, describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import type { StateStore } from '../../../lib/ports/state-store.ts';
import type { WireMessage } from '../../support/wire-message.ts';
import {
  CLUSTER,
  type FixtureOptions,
  Gadgets,
  line,
  RelayFixture,
  SECRETS,
  target,
  widgets,
} from './relay-fixture.ts';

let fixture: RelayFixture;

afterEach(() => fixture.stopAll());

async function started(options: FixtureOptions = {}): Promise<RelayFixture> {
  fixture = new RelayFixture({ ...options, relay: { directReaders: 2, checkpointEveryMs: 0, ...options.relay } });
  return fixture;
}

async function readers(count: number, name = 's'): Promise<void> {
  for (let index = 0; index < count; index += 1) await fixture.readsObject(target(`r${index}`), Secrets, 'ns', name);
}

async function watching(): Promise<void> {
  await fixture.start();
  fixture.cluster.bookmark();
  await fixture.clock.advance(0);
  fixture.sent('events');
  fixture.sent('resync');
}

const put = async (name = 's', value = 'x') => {
  const { metadata } = fixture.cluster.put(Secrets, { namespace: 'ns', name, labels: { value } });
  await fixture.clock.advance(0);
  return metadata.resourceVersion;
};
const marker = (name = 's', group = 'widgets') =>
  fixture.memory.readMarker({ cluster: CLUSTER, group, kind: SECRETS, namespace: 'ns', name });
const lines = (events: readonly WireMessage[]) =>
  events.map((event) =>
    event.cause === 'fanout' ? `round of ${event.group} ${event.namespace}/${event.name}` : line(event),
  );

describe('a relay with the default options', () => {
  it.each([
    [100, 100],
    [101, 1],
  ])('R-5.17 a change that %i objects read sends %i messages', async (count, messages) => {
    fixture = new RelayFixture();
    await readers(count);
    await watching();
    await put();
    expect(fixture.sent('events')).toHaveLength(messages);
  });
});

describe('a watch event of an object with many readers', () => {
  it('R-5.17 a watch event with many readers sends one message, and records the newest version', async () => {
    await started();
    await readers(3);
    await watching();
    await put();
    const version = await put('s', 'y');
    const sent = fixture.sent('events');
    expect(lines(sent)).toEqual(['round of widgets ns/s']);
    expect(await marker()).toMatchObject({ version: Number(version), incarnation: 1, round: sent[0]?.round });
    expect(fixture.sent('resync')).toEqual([]);
  });

  it('R-5.17 a watch event is sent to each reader at once while there are few', async () => {
    await started();
    await readers(2);
    await watching();
    const version = await put();
    expect(fixture.lines('events')).toEqual([
      `dependency ns/r0 <- secrets/ns/s@${version}`,
      `dependency ns/r1 <- secrets/ns/s@${version}`,
    ]);
    expect(await marker()).toBeUndefined();
  });

  it('R-5.17 readers of lists count too, and each reader once', async () => {
    await started();
    await readers(2);
    for (const uid of ['r0', 'r1']) await fixture.lists(target(uid), Secrets, 'ns');
    await watching();
    await put();
    expect(lines(fixture.sent('events'))).toHaveLength(2);
    await fixture.lists(target('r2'), Secrets, 'ns');
    await put('s', 'y');
    expect(lines(fixture.sent('events'))).toEqual(['round of widgets ns/s']);
  });

  it('R-5.17 each controller group is counted separately', async () => {
    await started({
      controllers: [
        widgets(),
        widgets({
          name: 'gadget',
          group: 'gadgets',
          type: Gadgets,
          owns: [],
          reads: [{ type: Secrets, mode: 'watch' }],
        }),
      ],
    });
    await readers(3);
    await fixture.readsObject({ ...target('g0'), kind: 'gadgets.test.evenkeel.dev' }, Secrets, 'ns', 's');
    await watching();
    const version = await put();
    expect(lines(fixture.sent('events'))).toEqual([
      `dependency ns/g0 <- secrets/ns/s@${version}`,
      'round of widgets ns/s',
    ]);
    expect(await marker('s', 'gadgets')).toBeUndefined();
  });

  it('R-5.17 R-1.8 a deletion is sent like any other change', async () => {
    await started();
    await readers(3);
    await watching();
    await put();
    fixture.sent('events');
    fixture.cluster.remove(Secrets, { namespace: 'ns', name: 's' });
    await fixture.clock.advance(0);
    expect(await marker()).toMatchObject({ seen: { deleted: true } });
  });

  it('R-5.17 R-5.7 the checkpoint waits for the message of the round', async () => {
    await started();
    await readers(3);
    await watching();
    const before = await fixture.checkpoint(SECRETS);
    fixture.queues.events.refuses = () => true;
    const version = await put();
    await fixture.clock.advance(5_000);
    expect(await fixture.checkpoint(SECRETS)).toBe(before);
    fixture.queues.events.refuses = () => false;
    await fixture.clock.advance(60_000);
    expect(await fixture.checkpoint(SECRETS)).toBe(`1:${version}`);
    expect(lines(fixture.sent('events'))).toEqual(['round of widgets ns/s']);
  });

  it('R-5.17 R-5.5 a relay that dies between marker and message sends the message when it comes back', async () => {
    let dies = false;
    await started({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (found, property) => {
            const value: unknown = Reflect.get(found, property, found);
            if (typeof value !== 'function') return value;
            return async (...args: unknown[]) => {
              const result: unknown = await value.apply(found, args);
              if (property === 'recordChange' && dies) throw new InfrastructureError('the answer was lost');
              return result;
            };
          },
        }) as unknown as StateStore,
    });
    await readers(3);
    await watching();
    dies = true;
    const version = await put();
    expect(await marker()).toMatchObject({ version: Number(version) });
    expect(fixture.sent('events')).toEqual([]);
    dies = false;
    await fixture.clock.advance(60_000);
    expect(lines([...fixture.sent('events'), ...fixture.sent('resync')])).toContain('round of widgets ns/s');
  });

  it('R-5.17 two edits of each of 50 objects send 50 messages, for any number of readers', async () => {
    await started();
    for (let object = 0; object < 50; object += 1) await readers(40, `s${object}`);
    await watching();
    for (const value of ['x', 'y']) {
      for (let object = 0; object < 50; object += 1) {
        fixture.cluster.put(Secrets, { namespace: 'ns', name: `s${object}`, labels: { value } });
      }
    }
    await fixture.clock.advance(1_000);
    expect(fixture.sent('events')).toHaveLength(50);
  });
});

describe('a list of objects with many readers', () => {
  it('R-5.17 a list sends one message for each object, for each absent one and for each list, by the resync lane', async () => {
    await started();
    fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await readers(3);
    await readers(3, 'gone');
    await readers(1, 'few');
    for (const uid of ['r0', 'r1', 'r2', 'r3']) await fixture.lists(target(uid), Secrets, 'ns');
    await fixture.start();
    expect(fixture.sent('events')).toEqual([]);
    const sent = fixture.sent('resync');
    expect(lines(sent).sort()).toEqual([
      expect.stringMatching(/^dependency ns\/r0 <- secrets\/ns\/few@absent at \d+$/),
      'round of widgets ns/*',
      'round of widgets ns/gone',
      'round of widgets ns/s',
    ]);
    expect(sent.filter(({ cause }) => cause === 'fanout').every(({ bulk }) => bulk === true)).toBe(true);
    expect((await marker('gone'))?.seen).toEqual({ absentAt: expect.stringMatching(/^\d+$/) });
    expect((await marker('*'))?.seen).toEqual({ absentAt: expect.stringMatching(/^\d+$/) });
    expect((await marker('s'))?.seen).toMatchObject({ resourceVersion: expect.stringMatching(/^\d+$/) });
  });

  it('R-5.17 a list that fails in the middle has recorded no absence', async () => {
    await started();
    for (const name of ['a', 'b', 'c', 'd']) fixture.cluster.put(Secrets, { namespace: 'ns', name });
    await readers(3, 'aa-gone');
    await readers(3, 'gone');
    fixture.cluster.onRequest = ({ verb, kind, options }) => {
      if (verb === 'list' && kind === SECRETS && options.continueToken !== undefined) throw new Error('the list broke');
    };
    await fixture.start();
    expect(await marker('aa-gone')).toBeUndefined();
    expect(await marker('gone')).toBeUndefined();
  });

  it('R-5.17 a list never replaces what a later watch event recorded', async () => {
    await started();
    await readers(3);
    fixture.cluster.put(Secrets, { namespace: 'ns', name: 's' });
    await fixture.memory.recordChange(
      { cluster: CLUSTER, group: 'widgets', kind: SECRETS, namespace: 'ns', name: 's' },
      { incarnation: 1, version: 1_000_000, seen: { resourceVersion: '1000000' } },
      fixture.clock.now(),
    );
    await fixture.start();
    expect(lines(fixture.sent('resync'))).toEqual([]);
    expect(await marker()).toMatchObject({ version: 1_000_000 });
  });
});
