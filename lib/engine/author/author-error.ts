import type { Controller } from '../../core/controller.ts';
import { InfrastructureError, LeaseLostError } from '../../core/errors.ts';
import type { Target } from '../../core/target.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { InvalidResultError } from './invalid-result.ts';

/**
 * An error that came out of a controller's code, as it is. Its text may quote whatever the code had in hand, so it is given to
 * nobody but the author: on the embedded cluster and in tests (docs/decisions/0007).
 */
export interface AuthorError {
  readonly controller: Controller;
  readonly target: Target;
  readonly passId: string;
  /** What the code did, e.g. `reconcile threw`. */
  readonly what: string;
  /** Whatever was thrown: it need not be an Error, nor safe to look at. */
  readonly error: unknown;
}

/** Whether an error tells an author more than the line of the pass does: those of the engine say all there. Never throws. */
export function isAuthors(error: unknown): boolean {
  try {
    const isOurs =
      error instanceof InfrastructureError || error instanceof LeaseLostError || error instanceof InvalidResultError;
    return !isOurs && !isApiError(error);
  } catch {
    // Only what an author made throws when it is looked at.
    return true;
  }
}
