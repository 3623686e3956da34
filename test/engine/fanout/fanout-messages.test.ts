import { describe, expect, it } from 'vitest';
import { deduplicationId, type SkinnyEvent } from '../../../lib/core/event.ts';
import { decodeEvent } from '../../../lib/engine/batch/decode-event.ts';
import { encodeEvent } from '../../../lib/engine/event-sender.ts';
import { fanoutEvent } from '../../../lib/engine/fanout/wide-change.ts';
import { firstReleaseEvent, firstReleaseWake } from '../batch/first-release-events.ts';
import { FanoutFixture, SECRET, seen } from './fanout-fixture.ts';

const ROUND = fanoutEvent(SECRET, 1, 5, { round: 7 });
const BULK = fanoutEvent(SECRET, 1, 5, { round: 7, bulk: true });
const AGAIN = fanoutEvent(SECRET, 0, 5, {});
const REST = fanoutEvent(SECRET, 1, 5, {
  round: 7,
  place: '1/widgets.test.evenkeel.dev/u',
  seen: { resourceVersion: '3' },
});
const ALL: [string, SkinnyEvent][] = [
  ['of a round', ROUND],
  ['of a round that a list asks for', BULK],
  ['of a round that was put off', AGAIN],
  ['that goes on', REST],
];

describe('a fan-out message', () => {
  it.each(ALL)('R-5.1 %s is read as it was sent', (_, event) => {
    expect(decodeEvent(encodeEvent(event))).toEqual({ ok: true, event });
  });

  it.each(ALL)('R-6.8 %s is refused by the first release, which puts it into the dead-letter queue', (_, event) => {
    expect(firstReleaseEvent.safeParse(JSON.parse(encodeEvent(event))).success).toBe(false);
  });

  it('R-6.8 the events of a round are read by the first release', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(3);
    await fixture.change({ incarnation: 1, seen: { absentAt: '12', deleted: true } });
    await fixture.handleRounds();
    await fixture.change(seen(8, 2));
    await fixture.elapse(60_000);
    const events = [...fixture.waiting('events'), ...fixture.waiting('resync')];
    expect(events).toHaveLength(6);
    for (const event of events) expect(firstReleaseEvent.parse(event)).toEqual(event);
  });

  it('R-6.8 the delayed message of a round that was put off is dropped by the first release, which finds it malformed', async () => {
    const fixture = new FanoutFixture();
    await fixture.readers(1);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    await fixture.change(seen(2));
    await fixture.handleRounds();
    const [wake] = fixture.wakes.messages();
    expect(firstReleaseWake.safeParse(JSON.parse(wake?.body ?? '')).success).toBe(false);
  });

  it('R-6.8 the delayed message with the rest of a round is dropped by the first release, which finds it malformed', async () => {
    const fixture = new FanoutFixture({ pageSize: 2, promptReaders: 2 });
    await fixture.readers(5);
    await fixture.change(seen(1));
    await fixture.handleRounds();
    const [wake] = fixture.wakes.messages();
    expect(JSON.parse(wake?.body ?? '')).toMatchObject({ rest: { place: '0/widgets.test.evenkeel.dev/r00001' } });
    expect(firstReleaseWake.safeParse(JSON.parse(wake?.body ?? '')).success).toBe(false);
  });

  it.each([254, 320, 480, 900])(
    'R-5.1 R-5.17 tells the readers of an object whose name has %i characters',
    async (length) => {
      const key = { ...SECRET, name: 'system:'.padEnd(length, 'n') };
      const fixture = new FanoutFixture({ pageSize: 2 });
      await fixture.readers(5, `${key.kind}/ns/${key.name}`);
      const handled: SkinnyEvent[] = [];
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
      expect(handled.some(({ place }) => place !== undefined)).toBe(true);
      fixture.onCall = () => {};
      // The next one comes before the pause is over, and is put off.
      await fixture.change(seen(8), false, key);
      await fixture.elapse(60_000, 100);
      expect([...fixture.told.values()]).toEqual(Array(5).fill(['7', '8']));
    },
  );

  it.each(['dependency', 'updated'] as const)(
    'R-5.4 a target with such a name stays malformed, by cause %s',
    (cause) => {
      const event = { ...ROUND, cause, uid: 'u', name: 'n'.repeat(254) };
      expect(decodeEvent(JSON.stringify(event))).toMatchObject({
        ok: false,
        reason: 'Malformed',
        detail: 'name: too_big',
      });
    },
  );

  it('R-5.2 its id names object, group, incarnation, round and place; one that was put off has a fresh one', () => {
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
      { ...ROUND, round: 8 },
      { ...ROUND, incarnation: 2 },
      { ...ROUND, group: 'other' },
      { ...ROUND, name: 'other' },
      { ...ROUND, namespace: 'other' },
      { ...REST, place: '0/widgets.test.evenkeel.dev/u' },
    ];
    expect(new Set(events.map((event) => deduplicationId(event, random))).size).toBe(events.length);
    expect(deduplicationId({ ...ROUND, at: 99 }, random)).toBe(deduplicationId(ROUND, random));
  });

  it.each([
    ['without a group', { group: undefined }, 'uid: missing'],
    ['that goes on without what was seen', { place: '0/k/u', seen: undefined }, 'seen: missing'],
    ['with a round that is no number', { round: 'x' as unknown as number }, 'round: invalid_type'],
  ])('R-5.4 one %s goes to the dead-letter queue', (_, changes, detail) => {
    expect(decodeEvent(JSON.stringify({ ...ROUND, ...changes }))).toEqual({ ok: false, reason: 'Malformed', detail });
  });
});
