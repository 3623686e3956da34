import { isUnread, type Observation as KitObservation, observe as observeRead } from '../../kit/observation.ts';
import type { ApiError } from '../../ports/cluster-api.ts';

/** What a read of a dependency found, so that decisions can be pure. */
export type Observation<Value> =
  | KitObservation<Value>
  /** The pass did not need it, or had no right to read it. */
  | { readonly type: 'notRead' }
  /** The kind is not served, or only as an older version. */
  | { readonly type: 'kindMissing'; readonly error: ApiError; readonly servedVersion?: string };

export const NOT_READ = { type: 'notRead' } as const;

/** Observes as the kit does, and separates a kind that is not served from other failures. */
export async function observe<Value>(read: () => Promise<Value | undefined>): Promise<Observation<Value>> {
  const observed = await observeRead(read);
  const isMissing = observed.type === 'failed' && observed.error.reason === 'KindMissing';
  return isMissing ? { type: 'kindMissing', error: observed.error } : observed;
}

/** The error that makes the pass a retry, if the read has one. */
export function failureOf(observation: Observation<unknown>): ApiError | undefined {
  return isUnread(observation) || observation.type === 'kindMissing' ? observation.error : undefined;
}
