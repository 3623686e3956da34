import type { Outcome } from '../core/outcome.ts';
import type { LastOutcome } from '../ports/state-store.ts';

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>;

/** The facts about an outcome that the engine needs. Only this file decides them. */
export interface OutcomeFacts {
  /** A required operation failed. The pass is retried, and the breaker of its cluster gets the error. */
  readonly failure?: Of<'retry'>;
  /** No retry can help. A person is needed, and the status of the object shows it. */
  readonly terminal?: Of<'terminal'>;
  /** When the controller wants its next pass, epoch milliseconds. */
  readonly checkAtMs?: number;
  /** The controller reached a result, so what the engine wrote into the status before no longer applies. */
  readonly isDone: boolean;
  /** The condition text of an object that is being deleted, until its cleanup has ended. */
  readonly cleanup: string;
}

const CLEANUP_GOES_ON = 'The object is being deleted. Its cleanup has not ended.';
const CLEANUP_FAILED = 'The object is being deleted. Its cleanup failed, and is tried again.';

/** The only switch over outcomes. */
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

/** Whether the last pass ended with an error that no retry can help. */
export function endedTerminal(last: LastOutcome | undefined): boolean {
  return last?.type === 'terminal';
}

/**
 * Whether the controller asked for a timer in the last pass. The table stores another union than `Outcome`: it also has
 * types of passes in which no controller ran, such as `crashing`. The types that controllers return are distinguished
 * here.
 */
export function askedForTimer(last: LastOutcome | undefined): last is LastOutcome {
  return last?.type === 'checkAt';
}
