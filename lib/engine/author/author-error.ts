import type { Controller } from '../../core/controller.ts';
import { InfrastructureError, LeaseLostError } from '../../core/errors.ts';
import type { Target } from '../../core/target.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { InvalidResultError } from './invalid-result.ts';

/**
 * An error of a controller's code, unchanged. Its text may quote any data of the code, so only the author gets it: on
 * the embedded cluster and in tests (docs/decisions/0007).
 */
export interface AuthorError {
  readonly controller: Controller;
  readonly target: Target;
  readonly passId: string;
  /** What the code did, e.g. `reconcile threw`. */
  readonly what: string;
  /** The thrown value. It may not be an Error, and reading it may throw. */
  readonly error: unknown;
}

/**
 * Whether an error has more for an author than the line about the pass. The engine's own errors have not. Never throws.
 */
export function isAuthors(error: unknown): boolean {
  try {
    const isOurs =
      error instanceof InfrastructureError || error instanceof LeaseLostError || error instanceof InvalidResultError;
    return !isOurs && !isApiError(error);
  } catch {
    // Only an object of an author throws when it is read.
    return true;
  }
}
