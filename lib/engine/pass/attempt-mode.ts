import type { Outcome } from '../../core/outcome.ts';

/** How a controller was asked, and what it answered. */
export interface ReconcileOrCleanup {
  readonly mode: 'reconciled' | 'finalizing';
  readonly outcome: Outcome;
  /** Whether what the controller waits for is on its way, so that nobody needs to act; undefined if it does not say. */
  readonly progressing: boolean | undefined;
}
