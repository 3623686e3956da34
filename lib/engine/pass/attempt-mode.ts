import type { Outcome } from '../../core/outcome.ts';

/** How a controller was asked, and what it answered. */
export interface ReconcileOrCleanup {
  readonly mode: 'reconciled' | 'finalizing';
  readonly outcome: Outcome;
  /** Nobody needs to act: what the controller waits for is on its way. */
  readonly progressing: boolean;
}
