import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffBoundMs, backoffDelayMs, DEFAULT_BACKOFF } from '../../lib/core/backoff.ts';
import { mergeConditions, readConditions } from '../../lib/core/conditions.ts';
import { marksAreCovered } from '../../lib/core/cover.ts';
import { durationNanos, formatDuration, parseDuration } from '../../lib/core/duration.ts';
import { applyMergePatch, jsonEqual, mergePatchBetween } from '../../lib/core/json-merge.ts';
import type { JsonObject } from '../../lib/core/kube-object.ts';
import { parseLabelSelector } from '../../lib/core/label-selector.ts';
import { checkLeaseTimings, DEFAULT_LEASE_TIMINGS, latestStartMs } from '../../lib/core/lease.ts';
import { dirtyMark, versionNumber } from '../../lib/core/observation.ts';
import { earliestCheck } from '../../lib/core/outcome.ts';
import { isOwnedBy } from '../../lib/core/ownership.ts';
import { takeToken } from '../../lib/core/rate-limit.ts';

describe('backoff', () => {
  it('R-1.7 I8 every delay lies within a bound that doubles with each failure up to the cap', () => {
    expect([1, 2, 3, 9, 10, 1_000].map((failures) => backoffBoundMs(DEFAULT_BACKOFF, failures))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, random) => {
          const delay = backoffDelayMs(DEFAULT_BACKOFF, failures, random);
          const bound = backoffBoundMs(DEFAULT_BACKOFF, failures);
          expect(delay).toBeGreaterThanOrEqual(bound / 10);
          expect(delay).toBeLessThanOrEqual(bound);
        },
      ),
    );
  });
});

describe('rate limit', () => {
  const limit = { burst: 3, refillMs: 1_000 };

  it('I8 grants a burst, then one each refill, however the clocks of the workers differ', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 50 }), (steps) => {
        let bucket: ReturnType<typeof takeToken>['bucket'] | undefined;
        let nowMs = 0;
        let latestMs = 0;
        let granted = 0;
        for (const step of steps) {
          nowMs = Math.max(nowMs + step, latestMs - 10_000);
          latestMs = Math.max(latestMs, nowMs);
          const result = takeToken(limit, bucket, nowMs);
          if (result.taken) granted += 1;
          else expect(result.readyAtMs).toBeGreaterThan(nowMs);
          bucket = result.bucket;
        }
        const firstMs = steps[0] ?? 0;
        expect(granted).toBeLessThanOrEqual(
          limit.burst + Math.ceil((latestMs - Math.min(0, firstMs)) / limit.refillMs),
        );
      }),
    );
  });

  it('says when a token is there again', () => {
    let bucket: ReturnType<typeof takeToken>['bucket'] | undefined;
    for (let taken = 0; taken < 3; taken += 1) bucket = takeToken(limit, bucket, 0).bucket;
    const refused = takeToken(limit, bucket, 400);
    expect(refused).toMatchObject({ taken: false, readyAtMs: 1_000 });
    expect(takeToken(limit, refused.bucket, 1_000).taken).toBe(true);
  });

  it('R-1.25 a clock that is set back far delays nobody, one that is a little behind adds nothing', () => {
    const limit = { burst: 1, refillMs: 1_000 };
    const { bucket } = takeToken(limit, undefined, 3_600_000);
    const refused = takeToken(limit, bucket, 0);
    expect(refused.taken).toBe(false);
    expect(takeToken(limit, refused.bucket, 1_000).taken).toBe(true);
    const behind = takeToken(limit, bucket, 3_597_000);
    expect(takeToken(limit, behind.bucket, 3_600_000).taken).toBe(false);
  });
});

describe('lease timings', () => {
  it('hold the inequalities of the design, and say which do not', () => {
    expect(checkLeaseTimings(DEFAULT_LEASE_TIMINGS)).toBe(DEFAULT_LEASE_TIMINGS);
    expect(() => checkLeaseTimings({ ...DEFAULT_LEASE_TIMINGS, leaseMs: 20_000, graceMs: 1_000 })).toThrow(
      /passLimit \+ clockSkew < lease.*grace > clockSkew/,
    );
    expect(() => checkLeaseTimings({ ...DEFAULT_LEASE_TIMINGS, visibilityMs: 30_000 })).toThrow(
      /lease \+ clockSkew < visibility/,
    );
  });

  it('R-1.5 a message started at the last moment ends its lease before the message is delivered again', () => {
    const start = latestStartMs(DEFAULT_LEASE_TIMINGS, 0);
    expect(start + DEFAULT_LEASE_TIMINGS.leaseMs + DEFAULT_LEASE_TIMINGS.clockSkewMs).toBeLessThanOrEqual(
      DEFAULT_LEASE_TIMINGS.visibilityMs,
    );
  });
});

describe('observations', () => {
  it('R-1.12 versions compare as numbers, and a version that is not a number covers nothing', () => {
    expect(['9', '10', '0', '', '007', '1e3', '-1', '99999999999999999', undefined].map(versionNumber)).toEqual([
      9,
      10,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('R-1.8 marks are covered only when each names this incarnation and an object seen at that version or later', () => {
    const seen = { 'secrets/default/a': 10, 'widgets/default/b@c': 5 };
    const covered = (...marks: string[]) => marksAreCovered(marks, 1, seen);
    expect(covered(dirtyMark(1, 'secrets/default/a', 9), dirtyMark(1, 'widgets/default/b@c', 5))).toBe(true);
    expect(covered(dirtyMark(1, 'secrets/default/a', 11))).toBe(false);
    expect(covered(dirtyMark(2, 'secrets/default/a', 9))).toBe(false);
    expect(covered(dirtyMark(1, 'secrets/default/unread', 1))).toBe(false);
    expect(covered(dirtyMark(1, 'secrets/default/a', 9), 'any')).toBe(false);
  });
});

describe('conditions', () => {
  const input = { type: 'Ready', status: 'True', reason: 'AllSatisfied', message: '' } as const;

  it('R-1.23 lastTransitionTime changes only when the status does, obsolete conditions go', () => {
    const first = mergeConditions(undefined, [input, { ...input, type: 'Synced' }], 1, 0);
    const second = mergeConditions(first, [{ ...input, reason: 'Other' }], 2, 60_000);
    expect(second).toEqual([
      { ...input, reason: 'Other', observedGeneration: 2, lastTransitionTime: '1970-01-01T00:00:00Z' },
    ]);
    const third = mergeConditions(second, [{ ...input, status: 'False' }], 2, 60_000);
    expect(third[0]?.lastTransitionTime).toBe('1970-01-01T00:01:00Z');
  });

  it('R-1.14 carries the generation it was computed for', () => {
    expect(mergeConditions(undefined, [input], 7, 0)[0]?.observedGeneration).toBe(7);
  });

  it('reads what is shaped like a condition from a status that anyone may have edited', () => {
    const good = mergeConditions(undefined, [input], 1, 0);
    expect(readConditions({ conditions: [...good, null, 'x', { type: 'Half' }] })).toEqual(good);
    for (const status of [undefined, null, 7, {}, { conditions: 'none' }]) expect(readConditions(status)).toEqual([]);
  });
});

describe('durations', () => {
  it.each([
    ['30s', 30_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['0.0005s', 1],
    ['2562048h', 9_223_372_800_000],
    ['', undefined],
    ['5', undefined],
    ['1d', undefined],
    ['-1s', undefined],
    ['s', undefined],
    [`${'1s'.repeat(40)}`, undefined],
  ])('parses %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['1h30m', 5_400_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['.5s', 500_000_000n],
    ['2.s', 2_000_000_000n],
    ['250us', 250_000n],
    ['3µs1ns', 3_001n],
    ['0.1ns', 0n],
    ['99999999h', 359_999_996_400_000_000_000n],
    ['', undefined],
    ['0', undefined],
    ['1', undefined],
    ['-1s', undefined],
    ['1s ', undefined],
    ['.s', undefined],
  ])('counts %j in nanoseconds', (text, nanos) => {
    expect(durationNanos(text)).toBe(nanos);
  });

  it('writes at most two units', () => {
    expect([0, 999, 61_000, 3_661_000, 90_000_000].map(formatDuration)).toEqual(['0s', '1s', '1m1s', '1h1m', '1d1h']);
  });
});

describe('merge patches', () => {
  it.each([
    ['constructor', 'a'],
    ['toString', {}],
    ['__proto__', 'a'],
    ['valueOf', null],
  ])('R-1.3 the key %s counts like any other', (key, value) => {
    const written = Object.fromEntries([[key, value]]) as JsonObject;
    expect([jsonEqual({}, written), jsonEqual(written, {})]).toEqual([false, false]);
    if (value !== null) expect(Object.entries(mergePatchBetween({}, written) ?? {})).toEqual([[key, value]]);
    expect(Object.entries(mergePatchBetween(written, {}) ?? {})).toEqual([[key, null]]);
    expect(Object.entries(applyMergePatch({ b: 1 }, written) ?? {})).toEqual(
      value === null
        ? [['b', 1]]
        : [
            ['b', 1],
            [key, value],
          ],
    );
    expect(applyMergePatch(written, Object.fromEntries([[key, null]]))).toEqual({});
  });

  const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__x'), tie('value'), { maxKeys: 3 }),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer(), { maxLength: 3 }),
      tie('object'),
    ),
  }));

  it('R-1.3 the patch between two documents turns one into the other, and is none when they are equal', () => {
    fc.assert(
      fc.property(json.object, json.object, (from, to) => {
        const patch = mergePatchBetween(from, to as JsonObject);
        expect(patch === undefined).toBe(jsonEqual(from, to));
        if (patch !== undefined) expect(jsonEqual(applyMergePatch(from, patch), to)).toBe(true);
      }),
    );
  });
});

describe('label selectors', () => {
  it.each([
    ['a=b', { a: 'b' }, true],
    ['a==b,c', { a: 'b' }, false],
    ['a!=b', {}, true],
    ['a in (b, c)', { a: 'c' }, true],
    ['a notin (b)', { a: 'b' }, false],
    ['!a', { a: '' }, false],
    ['example.com/a-b=x_y.z', { 'example.com/a-b': 'x_y.z' }, true],
    ['', undefined, true],
    ['constructor', {}, false],
    ['!toString', {}, true],
    ['valueOf!=a', {}, true],
    ['hasOwnProperty notin (a)', {}, true],
    ['constructor', { constructor: '' }, true],
    ['a>5', { a: '6' }, true],
    ['a > 5', { a: '5' }, false],
    ['a<10,b', { a: '9', b: '' }, true],
    ['a>5', { a: 'many' }, false],
    ['a>5', {}, false],
    ['a>9007199254740992', { a: '9007199254740993' }, true],
    ['a>5', { a: '9223372036854775808' }, false],
    ['a=,b', { a: '', b: 'c' }, true],
    ['a in (,b)', { a: '' }, true],
    ['in in (notin)', { in: 'notin' }, true],
  ])('R-6.7 %j on %j is %s', (text, labels, matches) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(matches);
  });

  it.each([
    ['a in b', '"b" stands where "(" is expected'],
    ['a=b c', '"c" stands where "," or the end is expected'],
    ['=b', '"=" is not a label\'s key'],
    ['a=(b)', '"(" is not a label\'s value'],
    ['a=b,', 'a requirement is missing behind the last comma'],
    ['a,,b', '"," is not a label\'s key'],
    [',a', '"," is not a label\'s key'],
    ['a>', '">" compares with a whole number'],
    ['a>b', '">" compares with a whole number'],
    ['a<9223372036854775808', '"<" compares with a whole number'],
    ['a in (b', 'the end stands where "," or ")" is expected'],
    ['a ~ b', '"~" is not one of in, notin, =, ==, !=, >, <'],
    ['__proto__', '"__proto__" is not a label\'s key'],
    [`a=${'b'.repeat(64)}`, "is not a label's value"],
    ['a..b/c', '"a..b/c" is not a label\'s key'],
  ])('R-6.4 refuses %j and says where and why', (text, why) => {
    expect(() => parseLabelSelector(text)).toThrow(/is not a label requirement: .* Write them as kubectl does/);
    expect(() => parseLabelSelector(text)).toThrow(why);
  });
});

describe('outcomes and ownership', () => {
  it('R-1.25 the earliest time wins, one that has passed comes back after the minimum', () => {
    expect(earliestCheck(1_000, [undefined, 9_000, 5_000])).toEqual({ type: 'checkAt', atMs: 5_000 });
    expect(earliestCheck(1_000, [-5, 9_000])).toEqual({ type: 'checkAt', atMs: 2_000 });
    expect(earliestCheck(1_000, [undefined])).toEqual({ type: 'settled' });
  });

  it('R-1.20 owned is what names the UID as controller, or has no owner and carries the UID', () => {
    const owned = (metadata: object) =>
      isOwnedBy({ metadata: { name: 'x', uid: 'x', resourceVersion: '1', ...metadata } }, 'me');
    const reference = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'me', controller: true };
    const annotations = { 'evenkeel.dev/owner-uid': 'me' };
    expect(owned({ ownerReferences: [reference] })).toBe(true);
    expect(owned({ ownerReferences: [{ ...reference, uid: 'other' }], annotations })).toBe(false);
    expect(owned({ ownerReferences: [{ ...reference, controller: false }] })).toBe(false);
    expect(owned({ annotations })).toBe(true);
    expect(owned({ ownerReferences: [{ ...reference, uid: 'other', controller: false }], annotations })).toBe(false);
    expect(owned({})).toBe(false);
  });
});
