/**
 * The invariants of docs/simulation.md by number. `LEAK` is not one of them: something was left behind that later events
 * did not clear away.
 */
export const INVARIANTS = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10', 'I11', 'I12', 'LEAK'] as const;
export type InvariantId = (typeof INVARIANTS)[number];

/** An invariant that did not hold. */
export interface Finding {
  readonly invariant: InvariantId;
  readonly what: string;
  /** True time, epoch ms. */
  readonly atMs: number;
  /** The step at which it showed. */
  readonly step: number;
}

/** Where the checkers put what they find. */
export type Report = (invariant: InvariantId, what: string) => void;
