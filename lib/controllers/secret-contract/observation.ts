import { type ApiError, isApiError } from '../../ports/cluster-api.ts';

/** What a read of a dependency told, so that decisions can be pure. */
export type Observation<Value> =
  /** The pass did not need it, or had no right to read it. */
  | { readonly type: 'notRead' }
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'absent' }
  | { readonly type: 'denied'; readonly error: ApiError }
  /** The kind is not served, or only as an older version. */
  | { readonly type: 'kindMissing'; readonly error: ApiError; readonly servedVersion?: string }
  | { readonly type: 'failed'; readonly error: ApiError };

export const NOT_READ = { type: 'notRead' } as const;

/** Turns the API's refusals into an observation. Whatever is no ApiError (a lost lease, an ended pass) goes through. */
export async function observe<Value>(read: () => Promise<Value | undefined>): Promise<Observation<Value>> {
  try {
    const value = await read();
    return value === undefined ? { type: 'absent' } : { type: 'found', value };
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return { type: 'denied', error };
    if (isApiError(error, 'KindMissing')) return { type: 'kindMissing', error };
    if (isApiError(error)) return { type: 'failed', error };
    throw error;
  }
}

/** The error that makes the pass a retry, if the read has one. */
export function failureOf(observation: Observation<unknown>): ApiError | undefined {
  return 'error' in observation ? observation.error : undefined;
}
