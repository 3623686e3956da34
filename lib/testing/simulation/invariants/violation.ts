/**
 * The invariants of docs/simulation.md by number, and four without a number. `LEAK`: something is left that later
 * events did not remove. `CHECK`: the `check` of a workload finds a wrong result. `STUCK`: a target fails, or is being
 * deleted, although nothing goes wrong any more. `OUTSIDE`: a controller awaits something that the simulation does not
 * control.
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
  /** The step at which the violation showed. */
  readonly step: number;
}

/** Where the checkers report violations. */
export type Report = (invariant: InvariantId, what: string) => void;
