import type { Cause } from '../../core/event.ts';
import type { Target } from '../../core/target.ts';
import type { LastOutcomeType } from '../../ports/state-store.ts';

/** How a message ended. It is acknowledged in each case. */
export type PassEnd =
  /** A pass ran and was committed. */
  | 'committed'
  /** The event is already observed by a committed pass. */
  | 'covered'
  /** Another pass runs; the event left a pending mark. */
  | 'held'
  /** The target is gone, and its item was removed. */
  | 'forgotten'
  /** Put off without running: rate limit, breaker, pause, or too many crashes. */
  | 'deferred'
  /** The lease was lost: its holder reads later. */
  | 'lost';

/** The report about one handled message, for people, metrics and tests. */
export interface PassReport {
  readonly target: Target;
  readonly cause: Cause;
  /**
   * The changed object of a dependency event: `kind namespace/name`, or a note that its name is too long for an event.
   */
  readonly changed: string | undefined;
  readonly end: PassEnd;
  /** Empty when no pass ran. */
  readonly outcome: LastOutcomeType | '';
  readonly reason: string;
  readonly message: string;
  /**
   * The object's Ready or Available condition after the pass, e.g. `Ready False KeyMissing`; empty when it has none.
   */
  readonly condition: string;
  readonly dueAtMs: number | undefined;
  readonly failures: number;
  /** The number of attempts under the lease: more than one when an event arrived during the pass. */
  readonly attempts: number;
  /** The number of write requests to the API server. */
  readonly writes: number;
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** By the monotonic clock: never negative. */
  readonly durationMs: number;
  readonly passId: string;
}
