import { type ApiError, isApiError } from '../../ports/cluster-api.ts';
import { type IdentityError, isIdentityError } from '../../ports/identity-provider.ts';

/** The errors that a request of a pass may end with. */
export type ReadError = ApiError | IdentityError;

/**
 * The error itself when a pass goes on after it: what the API server or the identity provider refused, or did not answer. Any
 * other (a lost lease, an ended pass, a failed table) is thrown on.
 */
export function expectedError(error: unknown): ReadError {
  if (isApiError(error) || isIdentityError(error)) return error;
  throw error;
}
