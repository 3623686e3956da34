import { EvenkeelError, TerminalError } from '../../core/errors.ts';
import { type Outcome, retry } from '../../core/outcome.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import { parseTerminal } from '../author/parse-result.ts';

/**
 * The outcome of a thrown error: terminal for a TerminalError with a text as its reason, otherwise a retry.
 * @param error as `caughtError` returned it.
 */
export function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof TerminalError)) return retry(error);
  try {
    return parseTerminal(error.reason, error.message, 'the controller');
  } catch (invalid) {
    return retry(invalid);
  }
}

/**
 * The text of an error for status, events and logs. Errors of this package are safe. For any other error only the name
 * is shown, because its text may quote secret data.
 */
export function describeFailure(error: unknown): { reason: string; message: string } {
  if (error instanceof ApiError) return { reason: `Api${error.reason}`, message: error.message };
  if (error instanceof EvenkeelError) return { reason: reasonOf(pascalCase(error.code)), message: error.message };
  const name = error instanceof Error ? error.name : error === null ? 'null' : typeof error;
  return {
    reason: reasonOf(name),
    message: `the controller threw ${name}; its text is not shown here`,
  };
}

function reasonOf(name: string): string {
  return /^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : 'UnknownError';
}

function pascalCase(code: string): string {
  return code.toLowerCase().replace(/(^|_)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}
