import { type ApiError, isApiError } from '../../ports/cluster-api.ts';
import { type IdentityError, isIdentityError } from '../../ports/identity-provider.ts';

/** The errors of a request after which a pass can continue. */
export type ReadError = ApiError | IdentityError;

/**
 * Returns the error when the pass can continue after it: the API server or the identity provider refused the request or
 * did not answer it. Throws any other error again (a lost lease, an ended pass, a failed table).
 */
export function expectedError(error: unknown): ReadError {
  if (isApiError(error) || isIdentityError(error)) return error;
  throw error;
}
