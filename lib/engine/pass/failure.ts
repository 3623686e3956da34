import { EvenkeelError, TerminalError } from '../../core/errors.ts';
import { type Outcome, retry, terminal } from '../../core/outcome.ts';
import { ApiError } from '../../ports/cluster-api.ts';

/** A thrown error as an outcome: terminal where its type says so, else a retry. */
export function outcomeOfError(error: unknown): Outcome {
  return error instanceof TerminalError ? terminal(error.reason, error.message) : retry(error);
}

/**
 * What may be said of an error in status, events and logs. Errors of this package are safe by construction; of any other
 * only the kind is told, since its text may quote what it failed on.
 */
export function describeFailure(error: unknown): { reason: string; message: string } {
  if (error instanceof ApiError) return { reason: `Api${error.reason}`, message: error.message };
  if (error instanceof EvenkeelError) return { reason: pascalCase(error.code), message: error.message };
  const name = error instanceof Error ? error.name : typeof error;
  return {
    reason: /^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : 'UnknownError',
    message: `the controller threw ${name}; its text is withheld`,
  };
}

function pascalCase(code: string): string {
  return code.toLowerCase().replace(/(^|_)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}
