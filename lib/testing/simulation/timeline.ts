import { clockTime } from './describe-call.ts';
import type { Violation } from './invariants/violation.ts';
import type { TraceLine } from './trace.ts';

/** Steps that say little about who did what: routine calls. */
const NOISE = [
  /^wakes$/,
  /is answered$/,
  /^\S+\.receive /,
  /^store\.(holdRelay|readCluster|saveCheckpoint|claimCheckpoint|due) /,
  /^api\.get leases/,
  /BOOKMARK/,
  /^the cluster's own controllers run$/,
];
const WIDTH = 16;

/** Who did what when, for people: one line for each step, without routine calls. */
export function timeline(lines: readonly TraceLine[], violations: readonly Violation[]): string {
  const shown = lines.filter(({ what }) => !NOISE.some((pattern) => pattern.test(what)));
  const told = shown.map(({ atMs, who, what }) => `${clockTime(atMs)}  ${who.padEnd(WIDTH)} ${what}`);
  return [...told, ...violations.map(describeViolation)].join('\n');
}

export function describeViolation({ invariant, what, atMs, step }: Violation): string {
  return `${clockTime(atMs)}  ${'*** '.padEnd(WIDTH)} ${invariant} DOES NOT HOLD (step ${step}): ${what}`;
}
