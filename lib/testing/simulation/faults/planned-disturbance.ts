import type { FaultKind } from './fault-kinds.ts';

/** A disturbance at a time, not at a call. */
export interface PlannedDisturbance {
  readonly atMs: number;
  readonly kind: FaultKind;
  /** How long it lasts, if it lasts. */
  readonly ms: number;
  /** The seed of its choices, e.g. of the affected process. */
  readonly seed: number;
}
