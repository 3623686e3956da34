/**
 * One rule of one key that does not hold. It names the rule, but not the difference between value and rule.
 */
export interface Finding {
  /** The Secret's key, or `Deployment/<name>` for a target. */
  readonly key: string;
  /** The rule's name as in the specification; `required` for a key that is absent. */
  readonly rule: string;
  readonly reason: string;
}

const MAX_FINDINGS = 64;

/** The findings sorted by key and rule, without duplicates, cut to the number that the status may have. */
export function publishedFindings(findings: readonly Finding[]): Finding[] {
  const byPair = new Map(findings.map((finding) => [`${finding.key}/${finding.rule}`, finding]));
  return [...byPair.values()].sort(byKeyThenRule).slice(0, MAX_FINDINGS);
}

function byKeyThenRule(left: Finding, right: Finding): number {
  return compare(left.key, right.key) || compare(left.rule, right.rule);
}

/** By code unit, so that the order is the same under every locale. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
