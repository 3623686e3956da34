import { describe, expect, it } from 'vitest';
import { contractStatus } from '../../../lib/controllers/secret-contract/contract-status.ts';
import { publishedFindings } from '../../../lib/controllers/secret-contract/finding.ts';
import type { Judgement } from '../../../lib/controllers/secret-contract/judgement.ts';
import { readPreviousStatus } from '../../../lib/controllers/secret-contract/previous-status.ts';
import type { ConditionInput, ConditionStatus } from '../../../lib/core/conditions.ts';
import { NOW_MS } from './objects.ts';

const IDENTITY = { name: 'db', namespace: 'app', uid: 'secret-uid', resourceVersion: '7' };
const HOUR_MS = 3_600_000;

function condition(type: string, status: ConditionStatus, reason: string): ConditionInput {
  return { type, status, reason, message: `${type} is ${status}` };
}

const SATISFIED: Judgement = {
  conditions: [
    condition('Authorized', 'True', 'SameNamespace'),
    condition('KeysValid', 'True', 'RulesSatisfied'),
    condition('Ready', 'True', 'AllSatisfied'),
  ],
  findings: [],
  secret: { type: 'observed', identity: IDENTITY },
  checked: true,
  deadlinesMs: [],
  passed: [],
  mayCompare: true,
  failure: undefined,
  faults: [],
};
const UNREAD: Judgement = {
  ...SATISFIED,
  conditions: [
    condition('Authorized', 'True', 'SameNamespace'),
    condition('KeysValid', 'Unknown', 'NotEvaluated'),
    condition('Ready', 'Unknown', 'SecretReadFailed'),
  ],
  secret: { type: 'kept' },
  checked: false,
};

function status(previous: unknown, judgement: Judgement, nowMs = NOW_MS, generation = 1) {
  return contractStatus({
    previous: readPreviousStatus(previous),
    judgement,
    findings: judgement.findings,
    secretRef: { namespace: 'app', name: 'db' },
    generation,
    nowMs,
  });
}

const FIRST = status(undefined, SATISFIED);

describe('a status', () => {
  it('R-1.14 carries the generation, the identity of the Secret and when it was checked', () => {
    expect(FIRST).toMatchObject({
      observedGeneration: 1,
      observedSecret: IDENTITY,
      lastCheckedTime: '2026-07-01T00:00:00Z',
      conditions: [{ type: 'Authorized', observedGeneration: 1 }, { type: 'KeysValid' }, { type: 'Ready' }],
    });
    expect(FIRST).not.toHaveProperty('nextCheckTime');
    expect(FIRST).not.toHaveProperty('findings');
  });

  it('R-1.3 the same judgement an hour later has the same bytes', () => {
    expect(JSON.stringify(status(FIRST, SATISFIED, NOW_MS + HOUR_MS))).toBe(JSON.stringify(FIRST));
  });

  it('R-1.23 a transition time moves only when the status does', () => {
    const later = status(
      FIRST,
      {
        ...SATISFIED,
        conditions: [
          condition('Authorized', 'True', 'GrantFound'),
          condition('KeysValid', 'False', 'KeyMissing'),
          condition('Ready', 'False', 'KeyMissing'),
        ],
      },
      NOW_MS + HOUR_MS,
    ) as { conditions: { lastTransitionTime: string }[] };
    expect(later.conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '2026-07-01T00:00:00Z',
      '2026-07-01T01:00:00Z',
      '2026-07-01T01:00:00Z',
    ]);
  });
});

describe('observedSecret', () => {
  it('R-2.4 a read that timed out keeps the last actual observation', () => {
    expect(status(FIRST, UNREAD).observedSecret).toEqual(IDENTITY);
  });

  it('R-2.4 the last observation is dropped when it is of another Secret', () => {
    const other = { ...FIRST, observedSecret: { ...IDENTITY, name: 'cache' } };
    expect(status(other, UNREAD)).not.toHaveProperty('observedSecret');
  });

  it('R-2.3 a Secret that is absent or denied has none', () => {
    expect(status(FIRST, { ...SATISFIED, secret: { type: 'none' } })).not.toHaveProperty('observedSecret');
  });
});

describe('lastCheckedTime', () => {
  const later = NOW_MS + HOUR_MS;
  const moved = '2026-07-01T01:00:00Z';
  const kept = '2026-07-01T00:00:00Z';
  const violated: Judgement = {
    ...SATISFIED,
    conditions: [
      condition('Authorized', 'True', 'SameNamespace'),
      condition('KeysValid', 'False', 'RuleViolated'),
      condition('Ready', 'False', 'RuleViolated'),
    ],
    findings: [{ key: 'a', rule: 'format', reason: 'RuleViolated' }],
  };

  it.each<[string, unknown, Judgement, number, string]>([
    ['nothing new', FIRST, SATISFIED, 1, kept],
    ['a new generation', FIRST, SATISFIED, 2, moved],
    [
      'a new version of the Secret',
      FIRST,
      { ...SATISFIED, secret: { type: 'observed', identity: { ...IDENTITY, resourceVersion: '8' } } },
      1,
      moved,
    ],
    ['the Secret gone', FIRST, { ...SATISFIED, secret: { type: 'none' } }, 1, moved],
    ['an answer that turned', FIRST, violated, 1, moved],
    [
      'another finding under the same reason',
      status(undefined, violated),
      { ...violated, findings: [{ key: 'b', rule: 'format', reason: 'RuleViolated' }] },
      1,
      moved,
    ],
    ['a recorded deadline that has come', { ...FIRST, nextCheckTime: '2026-07-01T00:30:00Z' }, SATISFIED, 1, moved],
    ['a recorded deadline ahead', { ...FIRST, nextCheckTime: '2026-07-01T01:30:00Z' }, SATISFIED, 1, kept],
    ['a read that failed', FIRST, UNREAD, 1, kept],
    [
      'a read that failed when a deadline has come',
      { ...FIRST, nextCheckTime: '2026-07-01T00:30:00Z' },
      UNREAD,
      1,
      kept,
    ],
    ['the same answer after a failed read', status(FIRST, UNREAD), SATISFIED, 1, kept],
    ['the same findings after a failed read', status(status(undefined, violated), UNREAD), violated, 1, kept],
    [
      'a new version of the Secret after a failed read',
      status(FIRST, UNREAD),
      { ...SATISFIED, secret: { type: 'observed', identity: { ...IDENTITY, resourceVersion: '8' } } },
      1,
      moved,
    ],
  ])('R-2.4 %s', (_, previous, judgement, generation, expected) => {
    expect(status(previous, judgement, later, generation).lastCheckedTime).toBe(expected);
  });

  it('R-2.4 lastCheckedTime is absent until a read has succeeded', () => {
    expect(status(undefined, UNREAD)).not.toHaveProperty('lastCheckedTime');
  });
});

describe('nextCheckTime', () => {
  it('R-1.25 nextCheckTime is the earliest deadline', () => {
    const deadlinesMs = [NOW_MS + 2 * HOUR_MS, NOW_MS + HOUR_MS];
    expect(status(undefined, { ...SATISFIED, deadlinesMs }).nextCheckTime).toBe('2026-07-01T01:00:00Z');
  });

  it('R-1.26 nextCheckTime is never earlier than the deadline', () => {
    const deadlinesMs = [NOW_MS + 1];
    expect(status(undefined, { ...SATISFIED, deadlinesMs }).nextCheckTime).toBe('2026-07-01T00:00:01Z');
  });

  it('R-1.25 a deadline beyond what RFC 3339 can write is not shown', () => {
    const deadlinesMs = [Date.UTC(10_000, 0, 1)];
    expect(status(undefined, { ...SATISFIED, deadlinesMs })).not.toHaveProperty('nextCheckTime');
  });

  it('R-2.4 stays over a read that timed out, unless the contract changed', () => {
    const waiting = status(undefined, { ...SATISFIED, deadlinesMs: [NOW_MS + HOUR_MS] });
    expect(status(waiting, UNREAD).nextCheckTime).toBe('2026-07-01T01:00:00Z');
    expect(status(waiting, UNREAD, NOW_MS, 2)).not.toHaveProperty('nextCheckTime');
  });
});

describe('findings', () => {
  it('R-1.23 findings are sorted by key, then rule, by code unit, each pair once', () => {
    const of = (key: string, rule: string) => ({ key, rule, reason: 'RuleViolated' });
    const unsorted = [of('b', 'x'), of('a', 'z'), of('B', 'x'), of('a', 'b'), of('a.b', 'a'), of('a', 'b')];
    expect(publishedFindings(unsorted).map(({ key, rule }) => `${key} ${rule}`)).toEqual([
      'B x',
      'a b',
      'a z',
      'a.b a',
      'b x',
    ]);
  });

  it('R-1.23 a status has at most 64 findings', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({
      key: `k${String(99 - index).padStart(2, '0')}`,
      rule: 'format',
      reason: 'RuleViolated',
    }));
    const published = publishedFindings(many);
    expect(published).toHaveLength(64);
    expect(published[0]?.key).toBe('k00');
    expect(published[63]?.key).toBe('k63');
  });
});

describe('a status that someone else damaged', () => {
  it.each([
    'text',
    null,
    [],
    { conditions: 'x', findings: [1, { key: 1 }], observedSecret: { name: 'db' }, lastCheckedTime: 5 },
    { nextCheckTime: 'soon', observedGeneration: '1' },
  ])('R-6.4 reads as absent where it is malformed: %j', (damaged) => {
    expect(status(damaged, SATISFIED)).toEqual(FIRST);
  });
});
