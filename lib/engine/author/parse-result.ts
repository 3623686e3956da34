import type { FinalizeResult, ReconcileResult } from '../../core/controller.ts';
import { LONGEST_AHEAD_MS, LONGEST_PAST_MS, type Outcome } from '../../core/outcome.ts';
import { caughtError } from './caught-error.ts';
import { describeShape } from './describe-shape.ts';
import { InvalidResultError } from './invalid-result.ts';
import { parseStatus } from './parse-status.ts';

const OUTCOMES = 'settled(), checkAt(time), retry(error) or terminal(reason, message)';
const RECONCILE = 'reconcile';
const FINALIZE = 'finalize';

/**
 * Parses the result of `reconcile` into a copy.
 * @param nowMs when the attempt began.
 * @throws InvalidResultError
 */
export function parseReconcileResult(value: unknown, nowMs: number): ReconcileResult {
  return readable(RECONCILE, () => {
    const { outcome, status, progressing } = fieldsOf(value, RECONCILE, 'return { outcome }, or { outcome, status }');
    const parsed = withStatus({ outcome: parseOutcome(outcome, RECONCILE, nowMs) }, status, RECONCILE);
    return typeof progressing === 'boolean' ? { ...parsed, progressing } : parsed;
  });
}

/**
 * Parses the result of `finalize` into a copy.
 * @param nowMs when the attempt began.
 * @throws InvalidResultError
 */
export function parseFinalizeResult(value: unknown, nowMs: number): FinalizeResult {
  return readable(FINALIZE, () => {
    const instead = 'return { done: true } once everything is confirmed to be gone, else { done: false, outcome }';
    const { done, outcome, status } = fieldsOf(value, FINALIZE, instead);
    if (done === true) return { done };
    if (done !== false) throw wrong(FINALIZE, `a done that is ${describeShape(done)}`, instead);
    return { done, ...withStatus({ outcome: parseOutcome(outcome, FINALIZE, nowMs) }, status, FINALIZE) };
  });
}

function fieldsOf(value: unknown, what: string, instead: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(what, describeShape(value), instead);
}

function withStatus(result: { readonly outcome: Outcome }, status: unknown, what: string): ReconcileResult {
  return status === undefined ? result : { ...result, status: parseStatus(status, what) };
}

function parseOutcome(value: unknown, what: string, nowMs: number): Outcome {
  if (value === undefined) throw wrong(what, 'no outcome', `return { outcome }, with ${OUTCOMES}`);
  if (typeof value === 'function') {
    throw wrong(what, 'an outcome that is a function', 'call it: return { outcome: settled() }');
  }
  if (typeof value !== 'object' || value === null) {
    throw wrong(what, `an outcome that is ${describeShape(value)}`, `use ${OUTCOMES}`);
  }
  const { type, atMs, error, notBeforeMs, reason, message } = value as Record<string, unknown>;
  switch (type) {
    case 'settled':
      return { type };
    case 'checkAt':
      return { type, atMs: Math.round(parseTime(atMs, `${what} returned an outcome checkAt whose atMs is`, nowMs)) };
    case 'retry': {
      const retried = { type, error: caughtError(error) } as const;
      if (notBeforeMs === undefined) return retried;
      const where = `${what} returned an outcome retry whose notBeforeMs is`;
      return { ...retried, notBeforeMs: parseTime(notBeforeMs, where, nowMs) };
    }
    case 'terminal':
      return parseTerminal(reason, message, what);
    default:
      throw wrong(what, `an outcome of unknown type (${describeShape(type)})`, `use ${OUTCOMES}`);
  }
}

/** @throws InvalidResultError */
export function parseTerminal(reason: unknown, message: unknown, what: string): Extract<Outcome, { type: 'terminal' }> {
  const instead = 'give both as text: terminal(reason, message)';
  if (typeof reason !== 'string' || reason === '') {
    throw wrong(what, `a terminal outcome whose reason is ${reason === '' ? 'empty' : describeShape(reason)}`, instead);
  }
  if (typeof message !== 'string') {
    throw wrong(what, `a terminal outcome whose message is ${describeShape(message)}`, instead);
  }
  return { type: 'terminal', reason, message };
}

function parseTime(value: unknown, where: string, nowMs: number): number {
  const instead = 'give the time in epoch milliseconds, at most a day ago and ten years ahead';
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InvalidResultError(`${where} ${describeShape(value)}: ${instead}`);
  }
  if (value < nowMs - LONGEST_PAST_MS) throw new InvalidResultError(`${where} more than a day ago: ${instead}`);
  if (value > nowMs + LONGEST_AHEAD_MS) throw new InvalidResultError(`${where} more than ten years ahead: ${instead}`);
  return value;
}

/** Reading a value from outside may throw, because it may have a getter or be a proxy. */
function readable<Result>(what: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidResultError) throw error;
    throw wrong(what, 'an object that throws when it is read', 'return a plain object');
  }
}

function wrong(what: string, found: string, instead: string): InvalidResultError {
  return new InvalidResultError(`${what} returned ${found}: ${instead}`);
}
