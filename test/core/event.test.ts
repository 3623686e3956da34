import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAUSES, deduplicationId, isOwnEvent, type SkinnyEvent } from '../../lib/core/event.ts';
import { hashedKey, objectKey } from '../../lib/core/observation.ts';
import { messageGroupId } from '../../lib/core/target.ts';
import { decodeEvent } from '../../lib/engine/batch/decode-event.ts';
import { encodeEvent } from '../../lib/engine/event-sender.ts';

const EVENT: SkinnyEvent = {
  v: 1,
  cluster: 'test',
  incarnation: 1,
  kind: 'secretcontracts.evenkeel.dev',
  namespace: 'default',
  name: 'one',
  uid: '00000000-0000-4000-8000-000000000001',
  resourceVersion: '7',
  cause: 'updated',
  at: 0,
};
const changed = { kind: 'secrets', namespace: 'default', name: 's', uid: 'u-2', resourceVersion: '9' };

let randoms = 0;
const id = (event: Partial<SkinnyEvent>) =>
  deduplicationId({ ...EVENT, ...event }, () => {
    randoms += 1;
    return `random-${randoms}`;
  });

describe('isOwnEvent', () => {
  it.each<[boolean, string, Partial<SkinnyEvent>]>([
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
    [false, 'a poll is due', { cause: 'poll', group: 'g', dueAt: 1 }],
  ])('R-1.28 isOwnEvent returns %s when %s', (expected, _, event) => {
    expect(isOwnEvent({ ...EVENT, ...event })).toBe(expected);
  });
});

describe('deduplicationId', () => {
  it.each<[string, Partial<SkinnyEvent>, Partial<SkinnyEvent>]>([
    ['another version', {}, { resourceVersion: '8' }],
    ['another incarnation', {}, { incarnation: 2 }],
    ['another target', {}, { uid: 'other' }],
    ['a deletion of the same version', {}, { cause: 'deleted' }],
    ['leaving the selector at the version of a deletion', { cause: 'deleted' }, { cause: 'deleted', unselected: true }],
    [
      'another dependency',
      { cause: 'dependency', changed },
      { cause: 'dependency', changed: { ...changed, uid: 'u-3' } },
    ],
    [
      'a dependency gone at its version',
      { cause: 'dependency', changed },
      { cause: 'dependency', changed: { ...changed, deleted: true } },
    ],
    [
      'a dependency absent from a later list',
      { cause: 'dependency', changed: { ...changed, absentAt: '10' } },
      { cause: 'dependency', changed: { ...changed, absentAt: '11' } },
    ],
    ['another deadline', { cause: 'due', dueAt: 1, epoch: 1 }, { cause: 'due', dueAt: 2, epoch: 1 }],
    ['the same deadline of another epoch', { cause: 'due', dueAt: 1, epoch: 1 }, { cause: 'due', dueAt: 1, epoch: 2 }],
    ['another tick', { cause: 'resync', tick: 1 }, { cause: 'resync', tick: 2 }],
    ['another request', { cause: 'requested' }, { cause: 'requested' }],
    ['another poll', { cause: 'poll', group: 'g', dueAt: 1 }, { cause: 'poll', group: 'g', dueAt: 2 }],
  ])('R-5.2 an id names one observation: %s has its own', (_, first, second) => {
    expect(id(first)).not.toBe(id(second));
  });

  it('R-5.2 the same observation sent twice has the same id', () => {
    for (const event of [
      {},
      { cause: 'dependency', changed },
      { cause: 'due', dueAt: 1, epoch: 1 },
    ] as Partial<SkinnyEvent>[]) {
      expect(id(event)).toBe(id({ ...event, at: 5 }));
    }
  });

  it('R-5.2 ids fit what SQS takes, whatever the names are', () => {
    const text = fc.string({ maxLength: 253 });
    fc.assert(
      fc.property(fc.constantFrom(...CAUSES), text, text, text, (cause, name, namespace, uid) => {
        const event = {
          ...EVENT,
          cause,
          name,
          namespace,
          uid,
          dueAt: 1,
          epoch: 1,
          tick: 1,
          group: 'g',
          changed: { ...changed, name, namespace },
        };
        for (const made of [deduplicationId(event, () => 'r'), messageGroupId(event)]) {
          expect(made).toMatch(/^[\x21-\x7e]{1,128}$/);
        }
      }),
    );
  });
});

/** As long as Kubernetes allows: a group of 253 characters, a plural of 63, a namespace of 63, a name of 253. */
const LONGEST_KIND = `${'p'.repeat(63)}.${'g'.repeat(253)}`;
const LONGEST: SkinnyEvent = {
  ...EVENT,
  cluster: 'c'.repeat(63),
  incarnation: 9_999,
  kind: LONGEST_KIND,
  namespace: 'n'.repeat(63),
  name: 'n'.repeat(253),
  resourceVersion: '9'.repeat(20),
  at: 1_800_000_000_000,
};
const LONGEST_CHANGED = {
  kind: LONGEST_KIND,
  namespace: 'm'.repeat(63),
  name: 's'.repeat(253),
  uid: EVENT.uid,
  resourceVersion: '8'.repeat(16),
};
const { resourceVersion: _, ...LONGEST_OF_A_READER } = LONGEST;

describe('encodeEvent: an event at the length limits of Kubernetes names', () => {
  it.each<[string, SkinnyEvent]>([
    ['created', { ...LONGEST, cause: 'created' }],
    ['updated', { ...LONGEST, cause: 'updated' }],
    ['deleted', { ...LONGEST, cause: 'deleted', unselected: true }],
    ['dependency', { ...LONGEST_OF_A_READER, cause: 'dependency', changed: LONGEST_CHANGED }],
    [
      'dependency, of an object that is gone',
      { ...LONGEST_OF_A_READER, cause: 'dependency', changed: { ...LONGEST_CHANGED, deleted: true } },
    ],
    [
      'dependency, of an object that a list lacks',
      {
        ...LONGEST_OF_A_READER,
        cause: 'dependency',
        changed: { ...LONGEST_CHANGED, deleted: true, absentAt: '7'.repeat(20) },
      },
    ],
    [
      'dependency, of an object whose version is no number',
      {
        ...LONGEST_OF_A_READER,
        cause: 'dependency',
        changed: { ...LONGEST_CHANGED, resourceVersion: 'v'.repeat(64) },
      },
    ],
    [
      'dependency, of an object with a short name',
      { ...LONGEST_OF_A_READER, cause: 'dependency', changed: { ...changed, uid: EVENT.uid } },
    ],
    [
      'dependency, of an object whose name is not ASCII',
      {
        ...LONGEST_OF_A_READER,
        kind: 'secretcontracts.evenkeel.dev',
        cause: 'dependency',
        changed: { ...LONGEST_CHANGED, kind: 'roles.rbac.authorization.k8s.io', name: '\u540d'.repeat(253) },
      },
    ],
    ['due', { ...LONGEST, cause: 'due', dueAt: 1_800_000_000_000, epoch: 1_800_000_000_000 }],
    [
      'poll',
      {
        ...LONGEST_OF_A_READER,
        uid: '',
        incarnation: 0,
        cause: 'poll',
        group: 'g'.repeat(63),
        dueAt: 1_800_000_000_000,
      },
    ],
    ['resync', { ...LONGEST, cause: 'resync', tick: 1_800_000_000 }],
    [
      'resync, of a dependency',
      { ...LONGEST_OF_A_READER, cause: 'resync', tick: 1_800_000_000, changed: LONGEST_CHANGED },
    ],
    ['requested', { ...LONGEST_OF_A_READER, cause: 'requested' }],
    [
      'fanout',
      {
        ...LONGEST_OF_A_READER,
        uid: '',
        cause: 'fanout',
        group: 'g'.repeat(63),
        round: 1_800_000_000_000,
        bulk: true,
      },
    ],
  ])('R-5.1 %s is under 1,024 bytes, and is read back by its receiver', (_, event) => {
    for (const uid of event.uid === '' ? [''] : [EVENT.uid, 'u'.repeat(52)]) {
      const body = encodeEvent({ ...event, uid });
      expect(Buffer.byteLength(body)).toBeLessThan(1_024);
      const decoded = decodeEvent(body);
      expect(decoded).toMatchObject({ ok: true, event: { name: event.name, uid, cause: event.cause } });
    }
  });

  it('R-5.1 the table names every cause', () => {
    expect(new Set(CAUSES)).toEqual(
      new Set(['created', 'updated', 'deleted', 'dependency', 'due', 'poll', 'resync', 'requested', 'fanout']),
    );
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
    const event: SkinnyEvent = {
      ...LONGEST_OF_A_READER,
      ...target,
      cause: 'dependency',
      changed: { ...LONGEST_CHANGED, kind: `${'p'.repeat(30)}.${'g'.repeat(30)}`, ...dependency },
    };
    const decoded = decodeEvent(encodeEvent(event));
    if (!decoded.ok || decoded.event.changed === undefined || event.changed === undefined) throw new Error('not read');
    const key = objectKey(decoded.event.changed.kind, decoded.event.changed);
    expect(key).toBe(hashedKey(objectKey(event.changed.kind, event.changed)));
    expect(decoded.event.changed.resourceVersion).toBe(LONGEST_CHANGED.resourceVersion);
  });

  it('R-5.1 an event of usual length names the changed object in full', () => {
    const event: SkinnyEvent = { ...EVENT, cause: 'dependency', changed };
    expect(decodeEvent(encodeEvent(event))).toEqual({ ok: true, event });
  });
});
