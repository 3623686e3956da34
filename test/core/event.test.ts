import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAUSES, deduplicationId, isOwnEvent, type SkinnyEvent } from '../../lib/core/event.ts';
import { messageGroupId } from '../../lib/core/target.ts';
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

  it('R-5.1 an event stays under 1 KB at the length limits of Kubernetes names', () => {
    const longest: SkinnyEvent = {
      ...EVENT,
      cluster: 'c'.repeat(40),
      kind: 'managed-databases.hypershell.evenkeel.dev',
      namespace: 'n'.repeat(63),
      name: 'n'.repeat(253),
      cause: 'dependency',
      at: 1_800_000_000_000,
      changed: {
        ...changed,
        uid: EVENT.uid,
        namespace: 'n'.repeat(63),
        name: 's'.repeat(253),
        resourceVersion: '9'.repeat(16),
        deleted: true,
      },
    };
    expect(Buffer.byteLength(encodeEvent(longest))).toBeLessThan(1_024);
  });
});
