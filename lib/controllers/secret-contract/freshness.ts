import type { ConditionStatus } from '../../core/conditions.ts';
import { formatDuration } from '../../core/duration.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import type { SecretContract } from './contract.ts';
import { parseRfc3339 } from './rfc3339.ts';

/** On a Secret: the time of the last rotation of its content, RFC 3339. */
const ROTATED_AT_ANNOTATION = 'evenkeel.dev/rotated-at';

/** The tolerated difference of clocks. A rotated-at that is further ahead is not accepted. */
const MAX_AHEAD_MS = 300_000;

export interface Freshness {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** The future time at which the answer changes, epoch ms: the maximum age is reached, or rotated-at is acceptable. */
  readonly deadlineMs?: number;
  /** When the maximum age was reached, epoch ms; undefined when it was not. */
  readonly exceededAtMs?: number;
}

/**
 * Compares the Secret's age with the contract's maxAge. A message never contains the age, because it would differ in
 * each pass.
 */
export function freshness(contract: SecretContract, secret: KubeObject, nowMs: number): Freshness {
  const { maxAgeMs } = contract;
  if (maxAgeMs === undefined) return { status: 'True', reason: 'NoMaxAge', message: 'The contract sets no maxAge.' };
  const since = countedFrom(contract, secret);
  if (since.ms === undefined) return { status: 'False', reason: 'AgeUnparseable', message: since.problem };
  if (contract.ageSource === 'Annotation' && since.ms > nowMs + MAX_AHEAD_MS) {
    const message = `The Secret's annotation ${ROTATED_AT_ANNOTATION} lies more than 5 minutes in the future: correct it.`;
    return { status: 'False', reason: 'AgeUnparseable', message, deadlineMs: since.ms - MAX_AHEAD_MS };
  }
  const deadlineMs = since.ms + maxAgeMs;
  const limit = formatDuration(maxAgeMs);
  return nowMs < deadlineMs
    ? { status: 'True', reason: 'WithinMaxAge', message: `The Secret is younger than ${limit}.`, deadlineMs }
    : {
        status: 'False',
        reason: 'MaxAgeExceeded',
        message: `The Secret has reached its maxAge of ${limit}: rotate it.`,
        exceededAtMs: deadlineMs,
      };
}

function countedFrom(contract: SecretContract, secret: KubeObject): { ms: number | undefined; problem: string } {
  const { creationTimestamp, annotations } = secret.metadata;
  if (contract.ageSource === 'CreationTimestamp') {
    return {
      ms: parseRfc3339(creationTimestamp ?? ''),
      problem: "The Secret's creationTimestamp is no RFC 3339 time.",
    };
  }
  return {
    ms: parseRfc3339(annotations?.[ROTATED_AT_ANNOTATION] ?? ''),
    problem: `The Secret's annotation ${ROTATED_AT_ANNOTATION} is absent or no RFC 3339 time: set it, such as 2026-01-31T12:00:00Z.`,
  };
}
