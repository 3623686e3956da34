import type { KubeObject, ObjectName } from '../core/kube-object.ts';
import type { ReconcileContext } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';
import { type ApiError, isApiError } from '../ports/cluster-api.ts';

/**
 * What a read found, as a value, so that a pure function can decide what follows from it. `Failure` is what the read may end
 * with, instead of an answer: `ApiError` for the Kubernetes API, or the error of your own client.
 */
export type Observation<Value, Failure extends ReadFailure = ApiError> =
  | { readonly type: 'found'; readonly value: Value }
  /** The server answered that it does not exist. A kind that is not served is `failed`: that proves no absence. */
  | { readonly type: 'absent' }
  | Unread<Failure>;

/** Nothing is known. A controller that decides without knowing deletes nothing, and returns a retry. */
export type Unread<Failure extends ReadFailure = ApiError> =
  /** The controller may not read it, until somebody permits it. */
  | { readonly type: 'denied'; readonly error: Failure }
  /** Any other refusal, no answer in time, an answer that cannot be read, or a kind that is not served. */
  | { readonly type: 'failed'; readonly error: Failure };

/** An error of a client: `Forbidden` is its word for what may not be read. */
export interface ReadFailure extends Error {
  readonly reason: string;
}

export const ABSENT = { type: 'absent' } as const;

/**
 * Runs a read and returns what it found.
 * @param read resolves with undefined for what does not exist, as `context.get` does.
 * @param isFailure which errors are failures of the read; an `ApiError` by default. Every other error is thrown on: a lost
 * lease or an ended pass must stop the controller.
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

/** Reads one object through the context: once in each attempt, for all callers. */
export function observeObject(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Observation<KubeObject>> {
  return observe(() => context.get(type, name));
}

/** Reads one object once more, live: for what must be true at the moment of a write. */
export function observeAgain(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Observation<KubeObject>> {
  return observe(() => context.getAgain(type, name));
}

/** Whether nothing is known, because of a denial or a failure. */
export function isUnread<Seen extends { readonly type: string }>(
  observation: Seen,
): observation is Extract<Seen, { readonly type: 'denied' | 'failed' }> {
  return observation.type === 'denied' || observation.type === 'failed';
}

/** What was found; undefined for what is absent and for what could not be read, so ask `isUnread` first where that matters. */
export function foundValue<Value>(observation: Observation<Value, ReadFailure>): Value | undefined {
  return observation.type === 'found' ? observation.value : undefined;
}

/**
 * What was found; undefined for what is absent.
 * @throws the error of the read where nothing is known.
 */
export function knownValue<Value>(observation: Observation<Value, ReadFailure>): Value | undefined {
  if (isUnread(observation)) throw observation.error;
  return foundValue(observation);
}

/** The first error among some reads, which makes the pass a retry. Undefined stands for a read that was not made. */
export function firstFailure<Failure extends ReadFailure>(
  observations: Iterable<Observation<unknown, Failure> | undefined>,
): Failure | undefined {
  for (const observation of observations) {
    if (observation !== undefined && isUnread(observation)) return observation.error;
  }
  return undefined;
}
