import type { Outcome } from '../core/outcome.ts';
import type { LastOutcome } from '../ports/state-store.ts';

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>;

/** What the engine asks of an outcome. Each fact is decided here and nowhere else. */
export interface OutcomeFacts {
  /** A required operation failed: the pass is retried, and the breaker of its cluster learns of the error. */
  readonly failure?: Of<'retry'>;
  /** No retry can help: a person is needed, and the object says so. */
  readonly terminal?: Of<'terminal'>;
  /** When the controller looks again, epoch milliseconds. */
  readonly checkAtMs?: number;
  /** The controller came to an end: what the engine wrote into the status before is over. */
  readonly isDone: boolean;
  /** What an object that is being deleted says of its cleanup, as long as that has not ended. */
  readonly cleanup: string;
}

const CLEANUP_GOES_ON = 'The object is being deleted. Its cleanup has not ended.';
const CLEANUP_FAILED = 'The object is being deleted. Its cleanup failed, and is tried again.';

/** The one switch over outcomes. */
export function factsOf(outcome: Outcome): OutcomeFacts {
  switch (outcome.type) {
    case 'settled':
      return { isDone: true, cleanup: CLEANUP_GOES_ON };
    case 'checkAt':
      return { checkAtMs: outcome.atMs, isDone: true, cleanup: CLEANUP_GOES_ON };
    case 'retry':
      return { failure: outcome, isDone: false, cleanup: CLEANUP_FAILED };
    case 'terminal':
      return { terminal: outcome, isDone: false, cleanup: outcome.message };
  }
}

/** Whether the last pass named a time to look again. */
export function hadCheckTime(last: LastOutcome | undefined): last is LastOutcome {
  return last?.type === 'checkAt';
}
