import { EvenkeelError } from '../../core/errors.ts';

/**
 * Replaces an error that an author's code threw or gave to `retry` by one that is safe to read: a primitive, or an
 * Error whose fields have the right types. Every other value (a proxy, an Error with a Symbol as its name, an Error
 * whose getters throw) is replaced, because it would throw again when it is logged, counted or compared.
 */
export function caughtError(thrown: unknown): unknown {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return thrown;
  try {
    if (thrown instanceof Error) return hasPlainFields(thrown) ? thrown : unreadable('an Error with unusual fields');
  } catch {
    return unreadable('an error that throws when it is read');
  }
  return unreadable(`a ${typeof thrown} that is no Error`);
}

/** The number of causes in a log line; further causes are not read. */
const MAX_CAUSES = 8;

function hasPlainFields(error: Error): boolean {
  let looked: unknown = error;
  for (let depth = 0; looked instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const { name, message, stack, code, cause } = looked as Error & { code?: unknown };
    if (typeof name !== 'string' || typeof message !== 'string') return false;
    if (stack !== undefined && typeof stack !== 'string') return false;
    if (looked instanceof EvenkeelError && (typeof code !== 'string' || !isPlainData(looked.data))) return false;
    looked = cause ?? (looked instanceof AggregateError ? looked.errors[0] : undefined);
  }
  return true;
}

function isPlainData(data: unknown): boolean {
  return typeof data === 'object' && data !== null && Object.values(data).every((value) => typeof value !== 'symbol');
}

function unreadable(what: string): EvenkeelError {
  return new EvenkeelError(
    'UNREADABLE_ERROR',
    `the controller threw ${what}; throw an Error, or a TerminalError when no retry can help`,
  );
}
