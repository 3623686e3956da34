import type { KeyRules } from './contract.ts';
import type { Finding } from './finding.ts';
import { checkFormat } from './format/format-check.ts';
import { decodeUtf8 } from './format/text.ts';
import type { PassedBoundary } from './passed-boundary.ts';

export interface KeyEvaluation {
  readonly findings: readonly Finding[];
  /** The times at which an answer changes without another cause, epoch ms: a certificate's notBefore or notAfter. */
  readonly boundariesMs: readonly number[];
  /** The times of certificates that have passed, so that a rule does not hold now. */
  readonly passed: readonly PassedBoundary[];
}

/** The values of the declared keys; a key that is absent is not in it. */
export type SecretValues = ReadonlyMap<string, Buffer>;

/**
 * The limit of matching in one pass: about a second in the worst case. The time grows with the length of the value
 * times the size of the pattern, and the process does nothing else during that time.
 */
const MAX_PATTERN_STEPS = 100_000_000;

/** @param contentRules whether pattern, minLength and maxLength may be evaluated. */
export function evaluateKeys(
  keys: readonly KeyRules[],
  values: SecretValues,
  { contentRules, nowMs }: { contentRules: boolean; nowMs: number },
): KeyEvaluation {
  const findings: Finding[] = [];
  const boundariesMs: number[] = [];
  const passed: PassedBoundary[] = [];
  let stepsLeft = MAX_PATTERN_STEPS;

  for (const key of keys) {
    const value = values.get(key.name);
    if (value === undefined) {
      if (!key.optional) findings.push({ key: key.name, rule: 'required', reason: 'KeyMissing' });
      continue;
    }
    const violated = (rule: string, reason = 'RuleViolated') => findings.push({ key: key.name, rule, reason });
    if (key.nonEmpty && value.length === 0) violated('nonEmpty');
    if (contentRules) {
      if (key.minLength !== undefined && value.length < key.minLength) violated('minLength');
      if (key.maxLength !== undefined && value.length > key.maxLength) violated('maxLength');
      if (key.pattern !== undefined) {
        const text = decodeUtf8(value);
        stepsLeft -= text === undefined ? 0 : key.pattern.steps(text.length);
        if (text !== undefined && stepsLeft < 0) violated('pattern', 'PatternTooCostly');
        else if (text === undefined || !key.pattern.matches(text)) violated('pattern');
      }
    }
    // An empty value satisfies every format, if empty values are allowed.
    if (key.format !== undefined && (key.nonEmpty || value.length > 0)) {
      const check = checkFormat(key.format, value, nowMs);
      if (check.boundaryMs !== undefined) boundariesMs.push(check.boundaryMs);
      if (check.expiredAtMs !== undefined) passed.push({ of: `format/${key.name}`, atMs: check.expiredAtMs });
      if (!check.holds) violated('format');
    }
  }
  return { findings, boundariesMs, passed };
}
