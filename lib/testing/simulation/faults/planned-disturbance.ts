import type { FaultKind } from './fault-kinds.ts';

/** Something that goes wrong at a time, rather than at a call. */
export interface PlannedDisturbance {
  readonly atMs: number;
  readonly kind: FaultKind;
  /** How long it lasts, where it lasts. */
  readonly ms: number;
  /** Of the choices it makes: whom it hits. */
  readonly seed: number;
}
