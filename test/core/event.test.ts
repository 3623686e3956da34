import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cause,
  deduplicationId,
  isOwnEvent,
  messageGroupOf,
  type PollRequest,
  type QueueMessage,
  type SkinnyEvent,
} from '../../lib/core/event.ts';
import { hashedKey, objectKey } from '../../lib/core/observation.ts';
import type { Target } from '../../lib/core/target.ts';
import { decodeEvent } from '../../lib/engine/messages/decode-event.ts';
import { encodeEvent } from '../../lib/engine/messages/encode-event.ts';
import { type EventParts, eventOf } from '../../lib/testing/event-of.ts';

const TARGET: Target = {
  cluster: 'test',
  kind: 'secretcontracts.evenkeel.dev',
  namespace: 'default',
  name: 'one',
  uid: '00000000-0000-4000-8000-000000000001',
};
const READ = { v: 1, cluster: 'test', group: 'g', kind: 'secrets', namespace: 'default', name: 's', at: 0 } as const;
const CHANGED_NAME = { kind: 'secrets', namespace: 'default', name: 's' };
const changed = { ...CHANGED_NAME, uid: 'u-2', resourceVersion: '9' };
const CAUSES: readonly Cause[] = ['created', 'updated', 'deleted', 'dependency', 'due', 'resync', 'requested'];
const event = (parts: EventParts = {}, target = TARGET): SkinnyEvent =>
  eventOf(target, { resourceVersion: '7', ...parts });
const poll = (dueAt: number): PollRequest => ({ ...READ, cause: 'poll', dueAt });

let randoms = 0;
const id = (message: QueueMessage) =>
  deduplicationId(message, () => {
    randoms += 1;
    return `random-${randoms}`;
  });

describe('isOwnEvent', () => {
  it.each<[boolean, string, EventParts]>([
    [true, 'a watch shows the target created', { cause: 'created' }],
    [true, 'a watch or a list shows the target', { cause: 'updated' }],
    [true, 'a watch shows the target deleted', { cause: 'deleted' }],
    [true, 'a watch shows that the target left the selector', { cause: 'deleted', unselected: true }],
    [true, 'resync lists the target', { cause: 'resync', tick: 3 }],
    [false, 'resync concludes from a list that the target is gone', { cause: 'deleted', tick: 3 }],
    [false, 'resync finds another version of what the target read', { cause: 'resync', tick: 3, changed }],
    [false, 'an owner reference or an edge names the target', { cause: 'dependency', changed }],
    [false, 'a timer is due', { cause: 'due', dueAt: 1, epoch: 1 }],
    [false, 'a person asks', { cause: 'requested' }],
  ])('R-1.28 isOwnEvent returns %s when %s', (expected, _, parts) => {
    expect(isOwnEvent(event(parts))).toBe(expected);
  });
});

describe('deduplicationId', () => {
  it.each<[string, QueueMessage, QueueMessage]>([
    ['another version', event(), event({ resourceVersion: '8' })],
    ['another incarnation', event(), event({ incarnation: 2 })],
    ['another target', event(), event({}, { ...TARGET, uid: 'other' })],
    ['a deletion of the same version', event(), event({ cause: 'deleted' })],
    [
      'leaving the selector at the version of a deletion',
      event({ cause: 'deleted' }),
      event({ cause: 'deleted', unselected: true }),
    ],
    [
      'another dependency',
      event({ cause: 'dependency', changed }),
      event({ cause: 'dependency', changed: { ...changed, uid: 'u-3' } }),
    ],
    [
      'a dependency gone at its version',
      event({ cause: 'dependency', changed }),
      event({ cause: 'dependency', changed: { ...changed, deleted: true } }),
    ],
    [
      'a dependency absent from a later list',
      event({ cause: 'dependency', changed: { ...CHANGED_NAME, absentAt: '10' } }),
      event({ cause: 'dependency', changed: { ...CHANGED_NAME, absentAt: '11' } }),
    ],
    [
      'each sight of a dependency that cannot be read',
      event({ cause: 'dependency', changed: CHANGED_NAME }),
      event({ cause: 'dependency', changed: CHANGED_NAME }),
    ],
    ['another deadline', event({ cause: 'due', dueAt: 1, epoch: 1 }), event({ cause: 'due', dueAt: 2, epoch: 1 })],
    [
      'the same deadline of another epoch',
      event({ cause: 'due', dueAt: 1, epoch: 1 }),
      event({ cause: 'due', dueAt: 1, epoch: 2 }),
    ],
    ['another tick', event({ cause: 'resync', tick: 1 }), event({ cause: 'resync', tick: 2 })],
    ['another request', event({ cause: 'requested' }), event({ cause: 'requested' })],
    ['another poll', poll(1), poll(2)],
  ])('R-5.2 an id names one observation: %s has its own', (_, first, second) => {
    expect(id(first)).not.toBe(id(second));
  });

  it('R-5.2 the same observation sent twice has the same id', () => {
    const observations: EventParts[] = [{}, { cause: 'dependency', changed }, { cause: 'due', dueAt: 1, epoch: 1 }];
    for (const parts of observations) expect(id(event(parts))).toBe(id(event({ ...parts, at: 5 })));
  });

  it('R-5.2 ids stay within the limits of SQS, for any names', () => {
    const text = fc.string({ maxLength: 253 });
    fc.assert(
      fc.property(text, text, text, (name, namespace, uid) => {
        const target = { ...TARGET, name, namespace, uid };
        const parts = { changed: { ...changed, name, namespace }, tick: 1 };
        const messages: QueueMessage[] = [
          ...CAUSES.map((cause) => event({ ...parts, cause }, target)),
          { ...poll(1), name, namespace },
          { ...READ, name, namespace, cause: 'fanout', step: { type: 'begin', incarnation: 1, round: 1 } },
        ];
        for (const message of messages) {
          expect(deduplicationId(message, () => 'r')).toMatch(/^[\x21-\x7e]{1,128}$/);
          expect(messageGroupOf(message)).toMatch(/^[\x21-\x7e]{1,128}$/);
        }
      }),
    );
  });
});

/** As long as Kubernetes allows: a group of 253 characters, a plural of 63, a namespace of 63, a name of 253. */
const LONGEST_KIND = `${'p'.repeat(63)}.${'g'.repeat(253)}`;
const LONGEST_TARGET: Target = {
  cluster: 'c'.repeat(63),
  kind: LONGEST_KIND,
  namespace: 'n'.repeat(63),
  name: 'n'.repeat(253),
  uid: TARGET.uid,
};
const LATE = 1_800_000_000_000;
const longest = (parts: EventParts, target = LONGEST_TARGET) =>
  event({ incarnation: 9_999, at: LATE, resourceVersion: '9'.repeat(20), ...parts }, target);
const { uid: _, ...LONGEST_NAME } = LONGEST_TARGET;
const LONGEST_READ = { v: 1, ...LONGEST_NAME, group: 'g'.repeat(63), at: LATE } as const;
const LONGEST_CHANGED_NAME = { kind: LONGEST_KIND, namespace: 'm'.repeat(63), name: 's'.repeat(253) };
const LONGEST_CHANGED = { ...LONGEST_CHANGED_NAME, uid: TARGET.uid, resourceVersion: '8'.repeat(16) };
const UIDS = [TARGET.uid, 'u'.repeat(52)];
const events = (parts: EventParts, target = LONGEST_TARGET) => UIDS.map((uid) => longest(parts, { ...target, uid }));
const TICK = LATE / 1_000;

describe('encodeEvent: a message at the length limits of Kubernetes names', () => {
  it.each<[string, QueueMessage[]]>([
    ['created', events({ cause: 'created' })],
    ['updated', events({ cause: 'updated' })],
    ['deleted', events({ cause: 'deleted', unselected: true })],
    ['deleted, as resync concludes', events({ cause: 'deleted', tick: TICK })],
    ['dependency', events({ cause: 'dependency', changed: LONGEST_CHANGED })],
    [
      'dependency, of an object that is gone',
      events({ cause: 'dependency', changed: { ...LONGEST_CHANGED, deleted: true } }),
    ],
    [
      'dependency, of an object that a list lacks',
      events({ cause: 'dependency', changed: { ...LONGEST_CHANGED_NAME, absentAt: '7'.repeat(20) } }),
    ],
    ['dependency, of an object that cannot be read', events({ cause: 'dependency', changed: LONGEST_CHANGED_NAME })],
    [
      'dependency, of an object whose version is no number',
      events({ cause: 'dependency', changed: { ...LONGEST_CHANGED, resourceVersion: 'v'.repeat(64) } }),
    ],
    [
      'dependency, of an object with a short name',
      events({ cause: 'dependency', changed: { ...changed, uid: TARGET.uid } }),
    ],
    [
      'dependency, of an object whose name is not ASCII',
      events(
        {
          cause: 'dependency',
          changed: { ...LONGEST_CHANGED, kind: 'roles.rbac.authorization.k8s.io', name: '\u540d'.repeat(253) },
        },
        { ...LONGEST_TARGET, kind: 'secretcontracts.evenkeel.dev' },
      ),
    ],
    ['due', events({ cause: 'due', dueAt: LATE, epoch: LATE })],
    ['resync', events({ cause: 'resync', tick: TICK })],
    ['resync, of a dependency', events({ cause: 'resync', tick: TICK, changed: LONGEST_CHANGED })],
    ['requested', events({ cause: 'requested' })],
    ['poll', [{ ...LONGEST_READ, cause: 'poll', dueAt: LATE }]],
    [
      'fanout',
      [{ ...LONGEST_READ, cause: 'fanout', step: { type: 'begin', incarnation: 9_999, round: LATE }, bulk: true }],
    ],
    ['fanout, put off', [{ ...LONGEST_READ, cause: 'fanout', step: { type: 'again' }, bulk: true }]],
  ])('R-5.1 %s is under 1,024 bytes, and is read back by its receiver', (_, messages) => {
    for (const message of messages) {
      const body = encodeEvent(message);
      expect(Buffer.byteLength(body)).toBeLessThan(1_024);
      const { changed: _, ...rest } = { changed: undefined, ...message };
      expect(decodeEvent(body)).toMatchObject({ ok: true, event: rest });
    }
  });

  it.each([
    ['for a kind with a name of 61 characters', { kind: `${'k'.repeat(30)}.${'g'.repeat(30)}` }, {}],
    ['whose changed object has a name of more than 253 characters', {}, { name: 'r'.repeat(254) }],
    [
      'whose changed object has a name of 300 bytes in few characters',
      { kind: LONGEST_KIND },
      { name: '\u540d'.repeat(100) },
    ],
  ])('R-5.1 an event %s names the changed object by the hash of its key and its version', (_, target, dependency) => {
    const told = { ...LONGEST_CHANGED, kind: `${'p'.repeat(30)}.${'g'.repeat(30)}`, ...dependency };
    const sent = longest({ cause: 'dependency', changed: told }, { ...LONGEST_TARGET, ...target });
    const decoded = decodeEvent(encodeEvent(sent));
    if (!decoded.ok || decoded.event.cause !== 'dependency') throw new Error('not read');
    const read = decoded.event.changed;
    expect(objectKey(read.kind, read)).toBe(hashedKey(objectKey(told.kind, told)));
    expect(read.resourceVersion).toBe(LONGEST_CHANGED.resourceVersion);
  });

  it('R-5.1 an event of usual length names the changed object in full', () => {
    const sent = event({ cause: 'dependency', changed });
    expect(decodeEvent(encodeEvent(sent))).toEqual({ ok: true, event: sent });
  });
});
