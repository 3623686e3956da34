import { isUnread, type Observation as KitObservation, observe as observeRead } from '../../kit/observation.ts';
import type { ApiError } from '../../ports/cluster-api.ts';

/** The result of reading a dependency. With it, decisions can be pure functions. */
export type Observation<Value> =
  | KitObservation<Value>
  /** The pass did not need it, or was not permitted to read it. */
  | { readonly type: 'notRead' }
  /** The kind is not served, or only as an older version. */
  | { readonly type: 'kindMissing'; readonly error: ApiError; readonly servedVersion?: string };

export const NOT_READ = { type: 'notRead' } as const;

/** As `observe` of the kit, with a separate result for a kind that the cluster does not serve. */
export async function observe<Value>(read: () => Promise<Value | undefined>): Promise<Observation<Value>> {
  const observed = await observeRead(read);
  const isMissing = observed.type === 'failed' && observed.error.reason === 'KindMissing';
  return isMissing ? { type: 'kindMissing', error: observed.error } : observed;
}

/** The error of a read that must be retried, if there is one. */
export function failureOf(observation: Observation<unknown>): ApiError | undefined {
  return isUnread(observation) || observation.type === 'kindMissing' ? observation.error : undefined;
}
