import { type ApiError, isApiError } from '../../ports/cluster-api.ts';
import { type IdentityError, isIdentityError } from '../../ports/identity-provider.ts';

export type ReadError = ApiError | IdentityError;

/** What a read of something told, so that decisions can be pure. */
export type Observation<Value> =
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'absent' }
  | { readonly type: 'failed'; readonly error: ReadError };

/**
 * Turns what the API server or the identity provider refused into an observation. Whatever else is thrown (a lost lease,
 * an ended pass, a failed table) goes through.
 */
export async function observe<Value>(read: () => Promise<Value | undefined>): Promise<Observation<Value>> {
  try {
    const value = await read();
    return value === undefined ? { type: 'absent' } : { type: 'found', value };
  } catch (error) {
    return { type: 'failed', error: expectedError(error) };
  }
}

/** The error itself when a pass goes on after it; any other is thrown on. */
export function expectedError(error: unknown): ReadError {
  if (isApiError(error) || isIdentityError(error)) return error;
  throw error;
}
