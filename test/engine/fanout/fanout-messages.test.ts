import { describe, expect, it } from 'vitest';
import { deduplicationId, type FanoutRequest } from '../../../lib/core/event.ts';
import { fanoutRequest } from '../../../lib/engine/fanout/wide-change.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { encodeEvent } from '../../../lib/engine/messages/encode-event.ts';
import { wireMessage } from '../../support/wire-message.ts';
import { firstReleaseEvent, firstReleaseWake } from '../batch/first-release-events.ts';
import { FanoutFixture, SECRET, seen } from './fanout-fixture.ts';

const begin = (round: number, incarnation = 1) => ({ type: 'begin', incarnation, round }) as const;
const goOn = (place: string) =>
  ({ type: 'goOn', incarnation: 1, round: 7, place, seen: { resourceVersion: '3' } }) as const;
const ROUND = fanoutRequest(SECRET, 5, begin(7));
const BULK = fanoutRequest(SECRET, 5, begin(7), true);
const AGAIN = fanoutRequest(SECRET, 5, { type: 'again' });
const REST = fanoutRequest(SECRET, 5, goOn('1/widgets.test.evenkeel.dev/u'));
const ALL: [string, FanoutRequest][] = [
  ['of a round', ROUND],
  ['of a round that a list asks for', BULK],
  ['of a round that was put off', AGAIN],
  ['that goes on', REST],
];

describe('a fan-out message', () => {
  it.each(ALL)('R-5.1 %s is read as it was sent', (_, event) => {
    expect(decodeEvent(encodeEvent(event))).toEqual({ ok: true, event });
  });

  it.each(ALL)('R-6.8 the first release refuses %s and puts it into the dead-letter queue', (_, event) => {
    expect(firstReleaseEvent.safeParse(JSON.parse(encodeEvent(event))).success).toBe(false);
  });

  it('R-6.8 the first release reads the events of a round', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(3);
    await fixture.change({ incarnation: 1, seen: { absentAt: '12' } });
    await fixture.handleRounds();
    await fixture.change(seen(8, 2));
    await fixture.elapse(60_000);
    const events = [...fixture.waiting('events'), ...fixture.waiting('resync')];
    expect(events).toHaveLength(6);
    for (const event of events) expect(firstReleaseEvent.parse(event)).toEqual(event);
  });

  it('R-6.8 the first release drops the delayed message of a round that was put off, because it is malformed there', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    await fixture.change(seen(2));
    await fixture.handleRounds();
    const [wake] = fixture.wakes.messages();
    expect(firstReleaseWake.safeParse(JSON.parse(wake?.body ?? '')).success).toBe(false);
  });

  it('R-6.8 the first release drops the delayed message with the rest of a round, because it is malformed there', async () => {
    const fixture = new FanoutFixture({ pageSize: 2, promptReaders: 2 });
    await fixture.readers(5);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    const [wake] = fixture.wakes.messages();
    expect(JSON.parse(wake?.body ?? '')).toMatchObject({ rest: { place: '0/widgets.test.evenkeel.dev/r00001' } });
    expect(firstReleaseWake.safeParse(JSON.parse(wake?.body ?? '')).success).toBe(false);
  });

  it.each([254, 320, 480, 900])(
    'R-5.1 R-5.17 a round reaches the readers of an object with a name of %i characters',
    async (length) => {
      const key = { ...SECRET, name: 'system:'.padEnd(length, 'n') };
      const fixture = new FanoutFixture({ pageSize: 2 });
      await fixture.readers(5, `${key.kind}/ns/${key.name}`);
      const handled: FanoutRequest[] = [];
      const handle = fixture.runner.handle.bind(fixture.runner);
      fixture.runner.handle = async (event) => {
        const body = encodeEvent(event);
        if (length <= 480) expect(Buffer.byteLength(body)).toBeLessThan(1_024);
        expect(decodeEvent(body)).toEqual({ ok: true, event });
        handled.push(event);
        return await handle(event);
      };
      fixture.onCall = async (call) => {
        if (call === 'store readers') await fixture.clock.advance(6_000);
      };
      await fixture.change(seen(7), false, key);
      await fixture.handleRounds();
      expect(handled.some(({ step }) => step.type === 'goOn')).toBe(true);
      fixture.onCall = () => {};
      // The next change comes before the pause is over, so its round is postponed.
      await fixture.change(seen(8), false, key);
      await fixture.elapse(60_000, 100);
      expect([...fixture.told.values()]).toEqual(Array(5).fill(['7', '8']));
    },
  );

  it.each(['dependency', 'updated'] as const)(
    'R-5.4 a target with such a name stays malformed, by cause %s',
    (cause) => {
      const changed = { ...SECRET, resourceVersion: '1' };
      const facts = cause === 'dependency' ? { changed } : { resourceVersion: '1' };
      const event = { v: 1, ...SECRET, cause, uid: 'u', name: 'n'.repeat(254), incarnation: 1, at: 5, ...facts };
      expect(decodeEvent(JSON.stringify(event))).toMatchObject({
        ok: false,
        reason: 'Malformed',
        detail: 'name: has more than 253 characters',
      });
    },
  );

  it('R-5.2 the id has object, group, incarnation, round and place, and is new after the round was put off', () => {
    let ids = 0;
    const random = () => {
      ids += 1;
      return String(ids);
    };
    const events = [
      ROUND,
      REST,
      AGAIN,
      AGAIN,
      { ...ROUND, step: begin(8) },
      { ...ROUND, step: begin(7, 2) },
      { ...ROUND, group: 'other' },
      { ...ROUND, name: 'other' },
      { ...ROUND, namespace: 'other' },
      { ...REST, step: goOn('0/widgets.test.evenkeel.dev/u') },
    ];
    expect(new Set(events.map((event) => deduplicationId(event, random))).size).toBe(events.length);
    expect(deduplicationId({ ...ROUND, at: 99 }, random)).toBe(deduplicationId(ROUND, random));
  });

  it.each([
    ['without a group', { group: undefined }, 'group: is missing'],
    ['that goes on without what was seen', { place: '0/k/u', seen: undefined }, 'seen: is missing'],
    [
      'that goes on in a round that it does not name',
      { place: '0/k/u', seen: {}, round: undefined },
      'round: is missing',
    ],
    ['with a round that is no number', { round: 'x' }, 'round: must be of type number'],
  ])('R-5.4 a fan-out message %s becomes a dead letter', (_, changes, detail) => {
    const body = JSON.stringify({ ...wireMessage(encodeEvent(ROUND)), ...changes });
    expect(decodeEvent(body)).toEqual({ ok: false, reason: 'Malformed', detail });
  });
});
