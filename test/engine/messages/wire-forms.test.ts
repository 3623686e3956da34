import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangedObject, SeenVersion } from '../../../lib/core/changed-object.ts';
import {
  deduplicationId,
  type EventFacts,
  type FanoutStep,
  isRequest,
  messageGroupOf,
  type QueueMessage,
} from '../../../lib/core/event.ts';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';
import { encodeEvent } from '../../../lib/engine/messages/encode-event.ts';
import { firstReleaseEvent } from '../batch/first-release-events.ts';
import {
  type PreviousEvent,
  previousBody,
  previousDecode,
  previousGroup,
  previousId,
} from './previous-release-messages.ts';

/** One message, in the memory form of this release and of the previous one. */
interface Pair {
  readonly message: QueueMessage;
  readonly previous: PreviousEvent;
}

const CAUSES = ['created', 'updated', 'deleted', 'dependency', 'due', 'poll', 'resync', 'requested', 'fanout'] as const;

/** One text in four has the maximum length. By default the library generates about ten characters. */
const textOf = (characters: string, maxLength: number) => {
  const unit = fc.constantFrom(...characters);
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit, minLength: 1, maxLength }) },
    { weight: 1, arbitrary: fc.string({ unit, minLength: maxLength, maxLength, size: 'max' }) },
  );
};
/** Names of RBAC objects may contain nearly any character. */
const nameOf = (maxLength: number) => textOf('ab-.:é名', maxLength).filter((name) => name !== '.' && name !== '..');
const label = textOf('ab-', 63);
const kind = fc.oneof(textOf('abc.', 60), textOf('abc.', 317));
const namespace = fc.oneof(fc.constant(''), label);
const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const version = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 20n }).map(String), textOf('1a', 64));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const uid = fc.oneof(fc.uuid(), textOf('u1-', 64));
const target = fc.record({ cluster: textOf('abc', 40), kind, namespace, name: nameOf(253), uid });
const head = fc.record({ incarnation: fc.integer({ min: 0, max: 2 ** 40 }), at: amount });

/** Any subset of these fields. */
const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof T]: Exclude<T[Field], undefined>;
  };

const seen: fc.Arbitrary<SeenVersion> = fc.oneof(
  fc
    .record({ uid: optional(uid), resourceVersion: version, deleted: optional(fc.constant(true)) })
    .map((fields): SeenVersion => present(fields)),
  fc.record({ absentAt: fc.oneof(version, fc.constant('round 1750000060000')) }),
  fc.constant({}),
);
const changed: fc.Arbitrary<ChangedObject> = fc
  .tuple(fc.record({ kind, namespace, name: nameOf(1_024) }), seen)
  .map(([name, of]) => ({ ...name, ...of }));

/** Both releases use the same names for the facts of an event. */
const ofTarget = (facts: fc.Arbitrary<EventFacts>): fc.Arbitrary<Pair> =>
  fc.tuple(target, head, facts).map(([place, { incarnation, at }, what]) => {
    const message = { v: 1, ...place, incarnation, at, ...what } as const;
    return { message, previous: message };
  });

const read = fc.record({
  cluster: textOf('abc', 40),
  group: label,
  kind,
  namespace,
  name: fc.oneof(nameOf(253), nameOf(1_024)),
  at: amount,
});

const step: fc.Arbitrary<FanoutStep> = fc.oneof(
  fc.record({ type: fc.constant('begin' as const), incarnation: fc.nat(), round: amount }),
  optional(amount).map((dueAt) => ({ type: 'again' as const, ...present({ dueAt }) })),
  fc.record({
    type: fc.constant('goOn' as const),
    incarnation: fc.nat(),
    round: amount,
    place: textOf('0/ab.', 640),
    seen,
  }),
);

const PAIRS: Readonly<Record<(typeof CAUSES)[number], fc.Arbitrary<Pair>>> = {
  created: ofTarget(fc.record({ cause: fc.constant('created' as const), resourceVersion: version })),
  updated: ofTarget(fc.record({ cause: fc.constant('updated' as const), resourceVersion: version })),
  deleted: ofTarget(
    fc.oneof(
      fc
        .record({ resourceVersion: version, unselected: optional(fc.constant(true)) })
        .map((fields): EventFacts => ({ cause: 'deleted', ...present(fields) })),
      fc.record({ cause: fc.constant('deleted' as const), resourceVersion: version, tick: amount }),
    ),
  ),
  dependency: ofTarget(fc.record({ cause: fc.constant('dependency' as const), changed })),
  due: ofTarget(fc.record({ cause: fc.constant('due' as const), dueAt: amount, epoch: amount })),
  resync: ofTarget(
    fc.oneof(
      fc.record({ cause: fc.constant('resync' as const), tick: amount, resourceVersion: version }),
      fc.record({ cause: fc.constant('resync' as const), tick: amount, changed }),
    ),
  ),
  requested: ofTarget(fc.record({ cause: fc.constant('requested' as const) })),
  poll: fc.tuple(read, amount).map(([place, dueAt]): Pair => {
    const request = { v: 1, ...place, cause: 'poll', dueAt } as const;
    return { message: request, previous: { ...request, uid: '', incarnation: 0 } };
  }),
  fanout: fc.tuple(read, step, optional(fc.constant(true))).map(([place, of, bulk]): Pair => {
    const request = { v: 1, ...place, cause: 'fanout', ...present({ bulk }) } as const;
    const { type: _, ...parts } = of;
    return { message: { ...request, step: of }, previous: { incarnation: 0, ...request, uid: '', ...parts } };
  }),
};

const LIMITS = { numRuns: 150 };

describe('a message between the release before and this one', () => {
  it.each(CAUSES)('R-6.8 the previous release reads our message like its own, by cause %s', (cause) => {
    fc.assert(
      fc.property(PAIRS[cause], ({ message, previous }) => {
        const body = encodeEvent(message);
        const theirs = previousDecode(previousBody(previous));
        expect(theirs).toBeDefined();
        expect(previousDecode(body)).toEqual(theirs);
      }),
      LIMITS,
    );
  });

  it.each(CAUSES)('R-6.8 this release reads a message of the previous one like its own, by cause %s', (cause) => {
    fc.assert(
      fc.property(PAIRS[cause], ({ message, previous }) => {
        const ours = decodeEvent(encodeEvent(message));
        expect(ours.ok).toBe(true);
        expect(decodeEvent(previousBody(previous))).toEqual(ours);
        // Nothing is lost except names for which there is no room.
        const { changed: _, ...rest } = { changed: undefined, ...message };
        expect(ours).toMatchObject({ event: rest });
        if (isRequest(message)) expect(ours).toEqual({ ok: true, event: message });
      }),
      LIMITS,
    );
  });

  it.each(CAUSES)(
    'R-5.2 R-6.8 both releases give the message the same deduplication id and message group, by cause %s',
    (cause) => {
      fc.assert(
        fc.property(PAIRS[cause], ({ message, previous }) => {
          expect(deduplicationId(message, () => 'r')).toBe(previousId(previous, () => 'r'));
          expect(messageGroupOf(message)).toBe(previousGroup(previous));
        }),
        LIMITS,
      );
    },
  );

  it.each(CAUSES.filter((cause) => cause !== 'fanout'))('R-6.8 release 0.1 reads the message, by cause %s', (cause) => {
    fc.assert(
      fc.property(PAIRS[cause], ({ message }) => {
        // The previous release knows no object with a longer name, so it requests none.
        fc.pre(message.name.length <= 253);
        expect(firstReleaseEvent.parse(JSON.parse(encodeEvent(message)))).toEqual(previousDecode(encodeEvent(message)));
      }),
      LIMITS,
    );
  });

  it.each([
    ['a poll that found nothing', { absentAt: '1750000060000', deleted: true }, { absentAt: '1750000060000' }],
    ['a deletion with its version', { uid: 'u', resourceVersion: '9', deleted: true }, undefined],
    ['an object that it could not read', {}, undefined],
    ['an object that it found deleted at no version', { deleted: true }, {}],
  ])('R-6.8 this release reads the changed object of the previous one, by %s', (_, wire, told) => {
    const secret = { kind: 'secrets', namespace: 'default', name: 's' };
    const event = { v: 1, cluster: 'c', kind: 'widgets.dev', namespace: 'default', name: 'one', uid: 'u' } as const;
    const previous = { ...event, incarnation: 1, at: 5, cause: 'dependency', changed: { ...secret, ...wire } } as const;
    expect(decodeEvent(previousBody(previous))).toEqual({
      ok: true,
      event: { ...previous, changed: { ...secret, ...(told ?? wire) } },
    });
  });

  it('R-6.8 this release reads a deletion that the first resync sent without its tick', () => {
    const target = { cluster: 'c', kind: 'widgets.dev', namespace: 'default', name: 'one', uid: 'u' };
    const previous = { v: 1, ...target, incarnation: 1, at: 5, cause: 'deleted', resourceVersion: '12' } as const;
    expect(decodeEvent(previousBody(previous))).toEqual({ ok: true, event: previous });
  });
});
