import type { Cause } from '../../core/event.ts';
import type { Target } from '../../core/target.ts';
import type { LastOutcomeType } from '../../ports/state-store.ts';

/** How a message ended; each acknowledges it. */
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
  /** What changed, for a dependency: `kind namespace/name`, or that its name is too long for an event. */
  readonly changed: string | undefined;
  readonly end: PassEnd;
  /** '' where no pass ran. */
  readonly outcome: LastOutcomeType | '';
  readonly reason: string;
  readonly message: string;
  /** The object's Ready condition after the pass, or its Available, e.g. `Ready False KeyMissing`; '' where it has none. */
  readonly condition: string;
  readonly dueAtMs: number | undefined;
  readonly failures: number;
  /** Attempts that ran under the lease: more than one when an event came during the pass. */
  readonly attempts: number;
  /** Write requests sent to the API server. */
  readonly writes: number;
  /** Epoch ms. */
  readonly startedAtMs: number;
  /** By the monotonic clock: never negative. */
  readonly durationMs: number;
  readonly passId: string;
}
