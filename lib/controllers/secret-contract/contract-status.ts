import { type ConditionInput, kubeTime, mergeConditions } from '../../core/conditions.ts';
import { jsonEqual } from '../../core/json-merge.ts';
import type { JsonObject } from '../../core/kube-object.ts';
import { type Finding, publishedFindings } from './finding.ts';
import type { Judgement, SecretIdentity } from './judgement.ts';
import type { PreviousStatus } from './previous-status.ts';
import { parseRfc3339 } from './rfc3339.ts';

export interface StatusInputs {
  readonly previous: PreviousStatus;
  readonly judgement: Judgement;
  /** The findings of the judgement and of the targets. */
  readonly findings: readonly Finding[];
  readonly secretRef: { readonly namespace: string | undefined; readonly name: string };
  readonly generation: number;
  readonly nowMs: number;
}

/** The last time that RFC 3339 can write. */
const LAST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The status to publish. The same judgement gives the same bytes at any time. */
export function contractStatus(inputs: StatusInputs): JsonObject {
  const { previous, judgement, generation, nowMs } = inputs;
  const conditions = mergeConditions(previous.conditions, judgement.conditions, generation, nowMs);
  const findings = publishedFindings(inputs.findings);
  const observedSecret = observedIdentity(inputs);
  const lastCheckedTime = processedSomethingNew(inputs, findings) ? kubeTime(nowMs) : previous.lastCheckedTime;
  const nextCheckTime = nextCheck(inputs);
  return {
    observedGeneration: generation,
    conditions,
    ...(observedSecret === undefined ? {} : { observedSecret: { ...observedSecret } }),
    ...(findings.length === 0 ? {} : { findings: findings.map(({ key, rule, reason }) => ({ key, rule, reason })) }),
    ...(lastCheckedTime === undefined ? {} : { lastCheckedTime }),
    ...(nextCheckTime === undefined ? {} : { nextCheckTime }),
  };
}

/** After a read without an answer, the last observation of the same Secret stays. */
function observedIdentity({ previous, judgement, secretRef }: StatusInputs): SecretIdentity | undefined {
  if (judgement.secret.type === 'observed') return judgement.secret.identity;
  const last = previous.observedSecret;
  const isSame = last?.name === secretRef.name && last.namespace === secretRef.namespace;
  return judgement.secret.type === 'kept' && isSame ? last : undefined;
}

/**
 * Whether lastCheckedTime changes: the pass processed a new input, or a boundary was reached. The last status shows it:
 * another generation, another version of the Secret, a stored time that has passed, or a condition that changed. A
 * condition that only gets its old value back after a failed read does not count.
 */
function processedSomethingNew(inputs: StatusInputs, findings: readonly Finding[]): boolean {
  const { previous, judgement, generation, nowMs } = inputs;
  if (!judgement.checked) return false;
  if (previous.lastCheckedTime === undefined || previous.observedGeneration !== generation) return true;
  const due = previous.nextCheckTime === undefined ? undefined : parseRfc3339(previous.nextCheckTime);
  if (due !== undefined && due <= nowMs) return true;
  const identity = judgement.secret.type === 'observed' ? judgement.secret.identity : undefined;
  if (!jsonEqual(previous.observedSecret, identity)) return true;
  const turned = judgement.conditions.filter(({ type }) => type !== 'Ready').some((now) => hasTurned(previous, now));
  const knewKeys = isKnown(byType(previous.conditions, 'KeysValid'));
  const knowsKeys = isKnown(byType(judgement.conditions, 'KeysValid'));
  return turned || (knewKeys && knowsKeys && !jsonEqual(previous.findings, findings));
}

function hasTurned(previous: PreviousStatus, now: ConditionInput): boolean {
  const before = byType(previous.conditions, now.type);
  return isKnown(before) && isKnown(now) && (before?.status !== now.status || before.reason !== now.reason);
}

function nextCheck({ previous, judgement, generation, nowMs }: StatusInputs): string | undefined {
  const isKept = judgement.secret.type === 'kept' && previous.observedGeneration === generation;
  if (isKept && previous.nextCheckTime !== undefined) return previous.nextCheckTime;
  const next = Math.min(...judgement.deadlinesMs.filter((time) => time > nowMs));
  // Rounded up to the next second, so that the status never shows a time before the timer is due.
  const shown = Math.ceil(next / 1_000) * 1_000;
  return shown <= LAST_TIME_MS ? kubeTime(shown) : undefined;
}

function byType<Item extends { readonly type: string }>(conditions: readonly Item[], type: string): Item | undefined {
  return conditions.find((condition) => condition.type === type);
}

function isKnown(condition: { readonly status: string } | undefined): boolean {
  return condition !== undefined && condition.status !== 'Unknown';
}
