import type { KubeObject } from '../../../core/kube-object.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import { isTerminating } from '../claim.ts';
import { T4Sessions } from '../kinds.ts';
import { isExclusivelyOwned } from '../ownership.ts';
import type { Reading } from '../reading.ts';

/** What there is under the name of a session's Pod or Service. */
export type Child =
  | { readonly type: 'absent' }
  | { readonly type: 'owned'; readonly object: KubeObject }
  /** Owned, and being deleted already. */
  | { readonly type: 'terminating'; readonly object: KubeObject }
  /** Somebody else's: never touched. */
  | { readonly type: 'foreign' }
  | { readonly type: 'unread'; readonly error: ApiError };

export function childOf(session: KubeObject, reading: Reading<KubeObject>): Child {
  if (reading.type !== 'found') return reading;
  const object = reading.value;
  if (!isExclusivelyOwned(object, T4Sessions, session)) return { type: 'foreign' };
  return { type: isTerminating(object) ? 'terminating' : 'owned', object };
}
