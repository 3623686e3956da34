import { describe, expect, it } from 'vitest';
import { checkAt, earliestCheck, type Outcome, retry, settled, terminal } from '../../../lib/core/outcome.ts';
import { InvalidResultError } from '../../../lib/engine/author/invalid-result.ts';
import { parseFinalizeResult, parseReconcileResult } from '../../../lib/engine/author/parse-result.ts';
import { MALFORMED_FINALIZE, MALFORMED_RECONCILE } from './malformed.ts';

const NOW_MS = Date.UTC(2026, 6, 1);
const DAY_MS = 86_400_000;

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidResultError);
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

describe('what reconcile and finalize return', () => {
  it.each(MALFORMED_RECONCILE)('R-1.27 the error says what reconcile must return when it returns $what', (row) => {
    const message = refusal(() => parseReconcileResult(row.result(NOW_MS), NOW_MS));
    expect(message).toMatch(row.says);
    expect(message).toMatch(/^reconcile returned /);
    expect(message).not.toContain('hunter2');
  });

  it.each(MALFORMED_FINALIZE)('R-1.27 the error says what finalize must return when it returns $what', (row) => {
    const message = refusal(() => parseFinalizeResult(row.result(NOW_MS), NOW_MS));
    expect(message).toMatch(row.says);
    expect(message).toMatch(/^finalize returned /);
    expect(message).not.toContain('hunter2');
  });

  const outcomes: readonly Outcome[] = [
    settled(),
    checkAt(NOW_MS - DAY_MS),
    checkAt(NOW_MS),
    checkAt(NOW_MS + 3_652 * DAY_MS),
    retry(new Error('x')),
    retry(undefined),
    retry('x', { notBeforeMs: NOW_MS + 1 }),
    terminal('Gone', ''),
    terminal('odd reason', 'message'),
  ];

  it.each(outcomes)('R-1.27 an outcome is accepted unchanged when it is $type', (outcome) => {
    expect(parseReconcileResult({ outcome }, NOW_MS)).toEqual({ outcome });
    expect(parseFinalizeResult({ done: false, outcome }, NOW_MS)).toEqual({ done: false, outcome });
  });

  it('R-1.27 only the field done is read', () => {
    expect(parseFinalizeResult({ done: true, outcome: 'x', status: 7 }, NOW_MS)).toEqual({ done: true });
  });

  it('R-1.27 a status is copied as JSON: without undefined fields, and with dates as text', () => {
    class Phase {
      name = 'Ready';
    }
    const status = { a: undefined, at: new Date(0), phase: new Phase(), list: [null, true, 1.5, { b: '' }], '': {} };
    const parsed = parseReconcileResult({ outcome: settled(), status }, NOW_MS).status;
    expect(parsed).toEqual(JSON.parse(JSON.stringify(status)));
    expect(parsed).not.toBe(status);
  });

  it('R-1.25 the earliest check is at the earliest time that an outcome may have', () => {
    const outcome = earliestCheck(NOW_MS, [Date.UTC(9999, 11, 31)]);
    expect(parseReconcileResult({ outcome }, NOW_MS)).toEqual({ outcome: checkAt(NOW_MS + 3_652 * DAY_MS) });
  });
});
