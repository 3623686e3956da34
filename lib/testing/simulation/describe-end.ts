import { wholeError } from '../../adapters/observability/whole-error.ts';
import type { FinalizeResult, ReconcileResult } from '../../core/controller.ts';
import { isAuthors } from '../../engine/author/author-error.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import { clockTime } from './describe-call.ts';

/** A short text for an error: nothing in a simulation is secret. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return `${error.reason}: ${error.message}`;
  try {
    return error instanceof Error ? `${String(error.name)}: ${error.message}` : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}

/** The whole text of a controller's error, on lines below the action; empty when a short text has it all. */
export function wholeErrorBelow(error: unknown): string {
  if (!isAuthors(error)) return '';
  return wholeError(error)
    .map((line) => `\n    ${line}`)
    .join('');
}

/** A short text for the result of a controller's function, with the reason of a retry. */
export function describeEnd(result: ReconcileResult | FinalizeResult): {
  text: string;
  failure: string | undefined;
  /** The value that was passed to `retry`. */
  error?: unknown;
} {
  // An author may write without types.
  const given: unknown = result;
  if (typeof given !== 'object' || given === null)
    return { text: `returns ${given}`, failure: `it returned ${given}, which is no result` };
  if ('done' in result && result.done) return { text: 'is done', failure: undefined };
  const not = 'done' in result ? 'is not done, and ' : '';
  const { outcome } = result;
  switch (outcome?.type) {
    case 'settled':
      return { text: `${not}is settled`, failure: undefined };
    case 'checkAt':
      return { text: `${not}asks to be called at ${clockTime(outcome.atMs)}`, failure: undefined };
    case 'retry': {
      const failure = describeError(outcome.error);
      return { text: `${not}asks for a retry: ${failure}`, failure, error: outcome.error };
    }
    case 'terminal':
      return { text: `${not}gives up: ${outcome.reason}: ${outcome.message}`, failure: undefined };
    default:
      return { text: `returns no outcome`, failure: 'it returned no outcome' };
  }
}
