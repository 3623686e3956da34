import type { ConditionInput } from '../../core/conditions.ts';
import type { Outcome } from '../../core/outcome.ts';

/** Not ready yet, and nobody needs to act: an owned object or an external system is on its way. */
export interface Progressing {
  readonly type: 'progressing';
  readonly reason: string;
  readonly message: string;
  readonly checkAtMs?: number;
}

/** How a reconcile of `defineController` ends. */
export type KindOutcome = Outcome | Progressing;

/** An outcome alone leaves the fields of the status as they are. */
export type KindResult<Status> =
  | KindOutcome
  | {
      readonly outcome: KindOutcome;
      /** The whole status apart from the conditions: fields that are left out are removed. */
      readonly status?: Partial<Status>;
      /** Conditions in addition to Ready, Reconciling and Stalled, which the engine computes. */
      readonly conditions?: readonly ConditionInput[];
    };

/**
 * Shows Ready False with this reason and message, and Reconciling True. A change of what the pass read starts the next pass.
 * @param options.checkAtMs epoch ms; another pass at this time even if nothing changes.
 */
export function progressing(reason: string, message: string, options: { checkAtMs?: number } = {}): Progressing {
  return { type: 'progressing', reason, message, ...options };
}
