import type { KubeObject, ObjectName } from '../core/kube-object.ts';
import type { ReconcileContext } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { type ApiError, isApiError } from '../ports/cluster-api.ts';

/**
 * The result of a read, as a value, so that a pure function can use it for a decision. `Failure` is the error of a read
 * without an answer: `ApiError` for the Kubernetes API, or the error of your own client.
 */
export type Observation<Value, Failure extends ReadFailure = ApiError> =
  | { readonly type: 'found'; readonly value: Value }
  /**
   * The server answered that the object does not exist. A kind that is not served is `failed`, because that does not
   * prove the absence.
   */
  | { readonly type: 'absent' }
  | Unread<Failure>;

/** The state is unknown. The controller then must delete nothing and return a retry. */
export type Unread<Failure extends ReadFailure = ApiError> =
  /** The controller has no permission for the read. */
  | { readonly type: 'denied'; readonly error: Failure }
  /** Any other refusal, no answer in time, an answer that cannot be parsed, or a kind that is not served. */
  | { readonly type: 'failed'; readonly error: Failure };

/** An error of a client. The reason `Forbidden` means a missing permission. */
export interface ReadFailure extends Error {
  readonly reason: string;
}

export const ABSENT = { type: 'absent' } as const;

/**
 * Runs a read and returns its result.
 * @param read resolves with undefined for an object that does not exist, as `context.get` does.
 * @param isFailure which errors are failures of the read; an `ApiError` by default. Every other error is thrown on: a
 * lost lease or an ended pass must stop the controller.
 */
export function observe<Value>(read: () => Promise<Value | undefined>): Promise<Observation<Value>>;
export function observe<Value, Failure extends ReadFailure>(
  read: () => Promise<Value | undefined>,
  isFailure: (error: unknown) => error is Failure,
): Promise<Observation<Value, Failure>>;
export async function observe<Value>(
  read: () => Promise<Value | undefined>,
  isFailure: (error: unknown) => error is ReadFailure = (error) => isApiError(error),
): Promise<Observation<Value, ReadFailure>> {
  try {
    const value = await read();
    return value === undefined ? ABSENT : { type: 'found', value };
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error.reason === 'Forbidden' ? { type: 'denied', error } : { type: 'failed', error };
  }
}

/** Reads one object through the context: once in each attempt; all callers share the result. */
export function observeObject(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Observation<KubeObject>> {
  return observe(() => context.get(type, name));
}

/** Reads one object again, live, when its state must be right at the moment of a write. */
export function observeAgain(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Observation<KubeObject>> {
  return observe(() => context.getAgain(type, name));
}

/** Whether the state is unknown, because the read was denied or failed. */
export function isUnread<Seen extends { readonly type: string }>(
  observation: Seen,
): observation is Extract<Seen, { readonly type: 'denied' | 'failed' }> {
  return observation.type === 'denied' || observation.type === 'failed';
}

/** The object; undefined when it is absent or could not be read. Call `isUnread` first if the difference matters. */
export function foundValue<Value>(observation: Observation<Value, ReadFailure>): Value | undefined {
  return observation.type === 'found' ? observation.value : undefined;
}

/**
 * The object; undefined when it is absent.
 * @throws the error of the read when the state is unknown.
 */
export function knownValue<Value>(observation: Observation<Value, ReadFailure>): Value | undefined {
  if (isUnread(observation)) throw observation.error;
  return foundValue(observation);
}

/**
 * The first error among some reads; the pass then returns a retry. Undefined in the list means a read that was not
 * made.
 */
export function firstFailure<Failure extends ReadFailure>(
  observations: Iterable<Observation<unknown, Failure> | undefined>,
): Failure | undefined {
  for (const observation of observations) {
    if (observation !== undefined && isUnread(observation)) return observation.error;
  }
  return undefined;
}
