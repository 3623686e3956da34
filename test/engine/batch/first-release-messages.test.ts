import { describe, expect, it } from 'vitest';
import type { ChangedObject, SeenVersion } from '../../../lib/core/changed-object.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { encodeEvent } from '../../../lib/engine/messages/encode-event.ts';
import type { WakeMessage } from '../../../lib/engine/messages/wake-message.ts';
import { sendWake } from '../../../lib/engine/send-wake.ts';
import { pollRequest } from '../../../lib/engine/wake/due-event.ts';
import { firstReleaseEvent, firstReleaseWake } from './first-release-events.ts';

const TARGET = { cluster: 'c', kind: 'widgets.dev', namespace: 'default', name: 'one', uid: 'u' };
const OWN = { ...TARGET, v: 1, incarnation: 2, at: 1_750_000_000_000 } as const;
const SECRET = { kind: 'secrets', namespace: 'default', name: 'a' };
const LONG = { kind: `${'k'.repeat(60)}.${'g'.repeat(250)}`, namespace: 'n'.repeat(253), name: 'm'.repeat(253) };

const EVENTS: [string, SkinnyEvent][] = [
  ['of a new object', { ...OWN, cause: 'created', resourceVersion: '5' }],
  ['of an object that left the selector', { ...OWN, cause: 'deleted', resourceVersion: '6', unselected: true }],
  ['of an absence that resync concluded', { ...OWN, cause: 'deleted', resourceVersion: '12', tick: 7 }],
  ['of a dependency', { ...OWN, cause: 'dependency', changed: { ...SECRET, uid: 's', resourceVersion: '9' } }],
  ['of an absent dependency', { ...OWN, cause: 'dependency', changed: { ...SECRET, absentAt: '12' } }],
  [
    'of a dependency that resync found',
    { ...OWN, cause: 'resync', tick: 7, changed: { ...SECRET, resourceVersion: '9' } },
  ],
  ['of a deadline', { ...OWN, cause: 'due', dueAt: 1_750_000_060_000, epoch: 8 }],
  ['that a person asked for', { ...OWN, cause: 'requested' }],
];

describe('a message between release 0.1 and this one', () => {
  it.each(EVENTS)('R-6.8 both releases read an event %s as it was sent', (_, event) => {
    const body = encodeEvent(event);
    expect(firstReleaseEvent.parse(JSON.parse(body))).toEqual(event);
    expect(decodeEvent(body)).toEqual({ ok: true, event });
  });

  it('R-6.8 both releases read a poll request as it was sent', () => {
    const poll = { cluster: 'c', group: 'g', ...SECRET };
    const request = pollRequest(poll, 1_750_000_060_000, OWN.at);
    const body = encodeEvent(request);
    const flat = { ...poll, v: 1, uid: '', incarnation: 0, cause: 'poll', at: OWN.at, dueAt: 1_750_000_060_000 };
    expect(firstReleaseEvent.parse(JSON.parse(body))).toEqual(flat);
    expect(decodeEvent(body)).toEqual({ ok: true, event: request });
  });

  it.each<[string, SeenVersion]>([
    ['its version', { uid: 'd'.repeat(64), resourceVersion: '9007199254740991' }],
    ['its deletion', { uid: 'd'.repeat(64), resourceVersion: '12', deleted: true }],
    ['its absence from a list', { absentAt: '12' }],
  ])(
    'R-6.8 release 0.1 reads an event without the name of the changed object as one of %s of an unread object',
    (_, seen) => {
      const name = 'o'.repeat(253);
      const changed: ChangedObject = { ...LONG, ...seen };
      const body = encodeEvent({ ...OWN, namespace: name, name, cause: 'dependency', changed });
      const read = firstReleaseEvent.parse(JSON.parse(body));
      expect(read).toMatchObject({ uid: 'u', cause: 'dependency', changed: { kind: '#' } });
      const { kind = '', namespace = '', name: hash = '' } = read.changed ?? {};
      const versions = { [`${LONG.kind}/${LONG.namespace}/${LONG.name}`]: 99, 'secrets/default/a': 99 };
      // 0.1 looks up a recorded version like this. It finds none, so the event costs a pass and is never skipped.
      expect(Object.keys(versions)).not.toContain(`${kind}/${namespace}/${hash}`);
    },
  );

  it.each<[string, WakeMessage]>([
    ['a target', { type: 'target', target: TARGET, dueAtMs: 1_750_000_060_000 }],
    ['a poll', { type: 'poll', poll: { cluster: 'c', group: 'g', ...SECRET }, dueAtMs: 1_750_000_060_000 }],
  ])('R-6.8 release 0.1 reads the wake of %s as it was sent', async (_, wake) => {
    const bodies: string[] = [];
    const queue = {
      async sendDelayed({ body }: { body: string }) {
        bodies.push(body);
      },
    };
    await sendWake(queue, wake, { dueAtMs: wake.dueAtMs, dueSetAtMs: wake.dueAtMs - 60_000 }, wake.dueAtMs - 60_000);
    expect(bodies.map((body) => firstReleaseWake.parse(JSON.parse(body)))).toEqual([{ v: 1, ...wake }]);
  });
});
