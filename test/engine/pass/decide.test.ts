import { describe, expect, it } from 'vitest';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import { type Decision, type DecisionPolicy, decide, type PassFacts } from '../../../lib/engine/pass/decide.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const POLICY: DecisionPolicy = { backoff: { baseMs: 1_000, capMs: 300_000 }, targetResyncMs: undefined };
const RESYNC: DecisionPolicy = { ...POLICY, targetResyncMs: 6 * HOUR };

const FACTS: PassFacts = {
  mode: 'reconciled',
  last: { failures: 0, wakeSent: false },
  crashes: 0,
  event: { cause: 'updated' },
  durationMs: 40,
  random: 0.5,
};

/** The recorded values when a controller says nothing. */
const SILENT: Partial<Decision> = { failures: 0, keepsUnread: false, isConflict: false };

function decided(outcome: Outcome, facts: Partial<PassFacts> = {}, policy = POLICY): Decision {
  return decide({ ...FACTS, ...facts }, outcome, policy, NOW);
}

/** The time until the target's timer; undefined without one. */
function delayOf({ dueAtMs }: Decision): number | undefined {
  return dueAtMs === undefined ? undefined : dueAtMs - NOW;
}

const lastCheck = (atMs: number) => ({
  failures: 0,
  wakeSent: true,
  lastOutcome: { type: 'checkAt', reason: '', message: '', atMs, durationMs: 10, cause: 'due' } as const,
});

describe('decide', () => {
  it.each<[string, Outcome, Partial<PassFacts>, DecisionPolicy, number | undefined, Partial<Decision>]>([
    [
      'settled, without a resync interval',
      settled(),
      {},
      POLICY,
      undefined,
      { ...SILENT, wakeSent: false, sendsWake: false },
    ],
    [
      'settled after failures',
      settled(),
      { last: { failures: 7, wakeSent: false }, crashes: 2 },
      POLICY,
      undefined,
      SILENT,
    ],
    [
      'settled, with a resync interval',
      settled(),
      {},
      RESYNC,
      6 * HOUR,
      { ...SILENT, wakeSent: false, sendsWake: false },
    ],
    ['settled, the earliest that a resync comes', settled(), { random: 0 }, RESYNC, 4.5 * HOUR, SILENT],
    [
      'settled, a recorded resync in the window',
      settled(),
      { last: { failures: 0, wakeSent: true, dueAtMs: NOW + 4 * HOUR } },
      RESYNC,
      4 * HOUR,
      { wakeSent: true, sendsWake: false },
    ],
    [
      'settled, a recorded deadline before the window',
      settled(),
      { last: { failures: 0, wakeSent: true, dueAtMs: NOW + 2 * HOUR } },
      RESYNC,
      6 * HOUR,
      { wakeSent: false },
    ],
    ['settled, but paused', settled(), { mode: 'paused' }, RESYNC, undefined, SILENT],
    ['settled, but unmanaged', settled(), { mode: 'unmanaged' }, RESYNC, undefined, SILENT],
    ['settled, released and held by others', settled(), { mode: 'deleting' }, RESYNC, undefined, SILENT],
    ['settled while finalizing', settled(), { mode: 'finalizing' }, RESYNC, 6 * HOUR, SILENT],
    ['checkAt soon', checkAt(NOW + 5 * MINUTE), {}, POLICY, 5 * MINUTE, { ...SILENT, wakeSent: true, sendsWake: true }],
    [
      'checkAt in the longest time that a wake can wait',
      checkAt(NOW + 15 * MINUTE),
      {},
      POLICY,
      15 * MINUTE,
      { wakeSent: true, sendsWake: true },
    ],
    [
      'checkAt beyond the longest wake',
      checkAt(NOW + 16 * MINUTE),
      {},
      POLICY,
      16 * MINUTE,
      { wakeSent: false, sendsWake: false },
    ],
    ['checkAt after the resync', checkAt(NOW + 20 * HOUR), {}, RESYNC, 6 * HOUR, SILENT],
    ['checkAt a time that has passed', checkAt(NOW - HOUR), {}, POLICY, 1_000, { wakeSent: true, sendsWake: true }],
    [
      'checkAt a passed time again',
      checkAt(NOW - 3 * MINUTE),
      { last: lastCheck(NOW - MINUTE) },
      POLICY,
      3 * MINUTE,
      SILENT,
    ],
    [
      'checkAt a long passed time again',
      checkAt(NOW - HOUR),
      { last: lastCheck(NOW - MINUTE) },
      POLICY,
      300_000,
      SILENT,
    ],
    [
      'checkAt as it stands, by another event',
      checkAt(NOW + 5 * MINUTE),
      { last: { failures: 0, wakeSent: true, dueAtMs: NOW + 5 * MINUTE } },
      POLICY,
      5 * MINUTE,
      { wakeSent: true, sendsWake: false },
    ],
    [
      'checkAt as it stands, by its own deadline',
      checkAt(NOW + MINUTE),
      { last: { failures: 0, wakeSent: true, dueAtMs: NOW + MINUTE }, event: { cause: 'due', dueAt: NOW + MINUTE } },
      POLICY,
      MINUTE,
      { wakeSent: true, sendsWake: true },
    ],
    [
      'the first retry',
      retry(new EvenkeelError('NO', 'not yet')),
      {},
      POLICY,
      undefined,
      { failures: 1, keepsUnread: true, isConflict: false, wakeSent: true, sendsWake: true },
    ],
    [
      'a retry after failures and crashes',
      retry(new Error('x')),
      { last: { failures: 3, wakeSent: false }, crashes: 2 },
      POLICY,
      undefined,
      { failures: 6, keepsUnread: true },
    ],
    [
      'a retry that names a time',
      retry(new Error('x'), { notBeforeMs: NOW + HOUR }),
      {},
      POLICY,
      HOUR,
      { failures: 1, wakeSent: false },
    ],
    [
      'a retry that the API server puts off',
      retry(new ApiError('TooManyRequests', 'later', { retryAfterMs: 90_000 })),
      {},
      POLICY,
      90_000,
      { failures: 1, isConflict: false },
    ],
    [
      'a retry that the API server puts off for too long',
      retry(new ApiError('TooManyRequests', 'later', { retryAfterMs: HOUR })),
      {},
      POLICY,
      300_000,
      { failures: 1 },
    ],
    [
      'a retry after a conflict',
      retry(new ApiError('Conflict', 'outdated')),
      {},
      POLICY,
      undefined,
      { failures: 1, isConflict: true, keepsUnread: true },
    ],
    [
      'a retry with a resync interval',
      retry(new Error('x'), { notBeforeMs: NOW + 20 * HOUR }),
      {},
      RESYNC,
      20 * HOUR,
      { failures: 1 },
    ],
    [
      'terminal, without a resync interval',
      terminal('BadSpec', 'size is negative'),
      { last: { failures: 4, wakeSent: false } },
      POLICY,
      undefined,
      SILENT,
    ],
    ['terminal, with a resync interval', terminal('BadSpec', 'size is negative'), {}, RESYNC, 6 * HOUR, SILENT],
  ])(
    'R-1.7 R-1.25 decide returns the timer, failures and wake for %s',
    (_, outcome, facts, policy, delayMs, expected) => {
      const decision = decided(outcome, facts, policy);
      expect(decision).toMatchObject(expected);
      if (delayMs !== undefined || outcome.type !== 'retry') expect(delayOf(decision)).toBe(delayMs);
    },
  );

  it('R-1.7 a retry waits longer after each failure, up to the limit, and at least a tenth of its bound', () => {
    for (let failures = 0; failures < 12; failures += 1) {
      const boundMs = Math.min(300_000, 1_000 * 2 ** failures);
      for (const random of [0, 0.5, 0.999]) {
        const delayMs = delayOf(decided(retry(new Error('x')), { random, last: { failures, wakeSent: false } })) ?? -1;
        expect(delayMs).toBeGreaterThanOrEqual(boundMs / 10);
        expect(delayMs).toBeLessThanOrEqual(boundMs);
      }
    }
  });

  it.each<[string, Outcome, Partial<PassFacts>, object]>([
    ['settled', settled(), {}, { type: 'settled', reason: '', message: '' }],
    ['checkAt', checkAt(NOW + MINUTE), {}, { type: 'checkAt', reason: '', message: '' }],
    [
      'a retry of our own error',
      retry(new EvenkeelError('KEY_MISSING', 'key a')),
      {},
      { type: 'retry', reason: 'KeyMissing', message: 'key a' },
    ],
    [
      'a retry of a foreign error',
      retry(new TypeError('secret')),
      {},
      { type: 'retry', reason: 'TypeError', message: 'the controller threw TypeError; its text is not shown here' },
    ],
    [
      'a retry of an API error',
      retry(new ApiError('Forbidden', 'no')),
      {},
      { type: 'retry', reason: 'ApiForbidden', message: 'no' },
    ],
    [
      'terminal',
      terminal('BadSpec', 'x'.repeat(900)),
      {},
      { type: 'terminal', reason: 'BadSpec', message: `${'x'.repeat(512)}` },
    ],
    ['paused', settled(), { mode: 'paused' }, { type: 'paused', reason: '', message: '' }],
    ['unmanaged', settled(), { mode: 'unmanaged' }, { type: 'unmanaged', reason: '', message: '' }],
    [
      'an object that others hold',
      settled(),
      { mode: 'deleting', waitsFor: { reason: 'Terminating', message: 'held' } },
      { type: 'deleting', reason: 'Terminating', message: 'held', terminating: true },
    ],
    [
      'cleanup that goes on',
      checkAt(NOW + MINUTE),
      { mode: 'finalizing', waitsFor: { reason: 'Busy', message: 'two left' } },
      { type: 'checkAt', reason: 'Busy', message: 'two left', terminating: true },
    ],
  ])('R-1.24 R-1.30 the last outcome of %s has its reason', (_, outcome, facts, expected) => {
    const { lastOutcome } = decided(outcome, facts);
    expect(lastOutcome).toEqual({ ...expected, atMs: NOW, durationMs: 40, cause: 'updated' });
  });
});
