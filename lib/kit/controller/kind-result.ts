import type { ConditionInput } from '../../core/conditions.ts';
import type { Outcome } from '../../core/outcome.ts';

/** Not ready yet, and nobody needs to act: an owned object or an external system still needs time. */
export interface Progressing {
  readonly type: 'progressing';
  readonly reason: string;
  readonly message: string;
  readonly checkAtMs?: number;
}

/** The result of a reconcile of `defineController`. */
export type KindOutcome = Outcome | Progressing;

/** When only an outcome is returned, the fields of the status do not change. */
export type KindResult<Status> =
  | KindOutcome
  | {
      readonly outcome: KindOutcome;
      /** All fields of the status except the conditions. Fields that are left out are removed. */
      readonly status?: Partial<Status>;
      /** Conditions in addition to Ready, Reconciling and Stalled, which the engine computes. */
      readonly conditions?: readonly ConditionInput[];
    };

/**
 * Shows Ready False with this reason and message, and Reconciling True. The next pass starts when an object that the
 * pass read changes.
 * @param options.checkAtMs epoch ms; another pass starts at this time even if nothing changes.
 */
export function progressing(reason: string, message: string, options: { checkAtMs?: number } = {}): Progressing {
  return { type: 'progressing', reason, message, ...options };
}
