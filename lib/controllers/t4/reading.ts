import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import { type ApiError, isApiError } from '../../ports/cluster-api.ts';

/** What a read told, so that decisions can be pure. */
export type Reading<Value> =
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'absent' }
  /** Nothing is known: denied, timed out, throttled, malformed, or the kind is not served. */
  | { readonly type: 'unread'; readonly error: ApiError };

/** Whatever is no ApiError (a lost lease, a pass out of time) goes through. */
async function attempt(read: () => Promise<KubeObject | undefined>): Promise<Reading<KubeObject>> {
  try {
    const value = await read();
    return value === undefined ? { type: 'absent' } : { type: 'found', value };
  } catch (error) {
    if (isApiError(error)) return { type: 'unread', error };
    throw error;
  }
}

export function readByName(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Reading<KubeObject>> {
  return attempt(() => context.get(type, name));
}

/** Reads what was read before once more, live. */
export function readAgain(
  context: ReconcileContext,
  type: ResourceType,
  name: ObjectName,
): Promise<Reading<KubeObject>> {
  return attempt(() => context.getAgain(type, name));
}

export function found<Value>(reading: Reading<Value>): Value | undefined {
  return reading.type === 'found' ? reading.value : undefined;
}

/** The reason and message of an Unknown condition that rests on a read which failed, e.g. `HostReadFailed`. */
export function unreadReason(subject: string, error: ApiError): { reason: string; message: string } {
  return error.reason === 'Forbidden'
    ? { reason: `${subject}AccessDenied`, message: 'Reading it is forbidden to evenkeel: permit it by RBAC.' }
    : { reason: `${subject}ReadFailed`, message: 'It could not be read; it is tried again.' };
}
