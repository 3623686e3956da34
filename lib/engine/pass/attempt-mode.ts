import type { Outcome } from '../../core/outcome.ts';

/** How a controller was called, and its answer. */
export interface ReconcileOrCleanup {
  readonly mode: 'reconciled' | 'finalizing';
  readonly outcome: Outcome;
  /** Whether the controller waits for something that needs no action of a person; undefined when it does not say. */
  readonly progressing: boolean | undefined;
}
