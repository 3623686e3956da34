/**
 * The invariants of docs/simulation.md by number, and what has none: `LEAK`, something was left behind that later events
 * did not clear away; `CHECK`, a workload's own `check` says that what was reached is wrong; `STUCK`, a target fails, or is
 * being deleted, though nothing goes wrong any more; `OUTSIDE`, a controller awaits what the simulation knows nothing of.
 */
export type InvariantId =
  | `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13}`
  | 'LEAK'
  | 'CHECK'
  | 'STUCK'
  | 'OUTSIDE';

/** An invariant that did not hold. */
export interface Violation {
  readonly invariant: InvariantId;
  readonly what: string;
  /** True time, epoch ms. */
  readonly atMs: number;
  /** The step at which it showed. */
  readonly step: number;
}

/** Where the checkers put what they find. */
export type Report = (invariant: InvariantId, what: string) => void;
