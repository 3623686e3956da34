import { createHash } from 'node:crypto';
import type { DurableValues } from '../../core/reconcile-context.ts';

/** A time that has passed and decides a condition now: the end of a grant, of an age or of a certificate. */
export interface PassedBoundary {
  /** `Authorized`, `mutation`, `Fresh`, or `format/<key>`. */
  readonly of: string;
  /** Epoch ms. */
  readonly atMs: number;
}

/** 36 bits: marks of 67 boundaries take 400 bytes of the 4 KB that a target may keep. */
const MARK_LENGTH = 6;

/**
 * Whether a boundary has passed that no earlier pass recorded. Then one more pass runs after the minimum delay
 * . The status cannot show this, because it has at most 64 findings, and an older CRD may drop fields.
 */
export function newlyPassed(values: DurableValues, passed: readonly PassedBoundary[]): boolean {
  const recorded = recordedMarks(values);
  return passed.some((boundary) => !recorded.has(markOf(boundary)));
}

/** The record of the boundaries for the item; undefined when there are none. */
export function boundaryMarks(passed: readonly PassedBoundary[]): string | undefined {
  return passed.length === 0 ? undefined : passed.map(markOf).sort().join('');
}

function recordedMarks({ passed }: DurableValues): ReadonlySet<string> {
  return new Set(typeof passed === 'string' ? (passed.match(new RegExp(`.{${MARK_LENGTH}}`, 'g')) ?? []) : []);
}

function markOf({ of, atMs }: PassedBoundary): string {
  return createHash('sha256').update(`${of}@${atMs}`).digest('base64url').slice(0, MARK_LENGTH);
}
