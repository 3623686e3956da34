import type { KubeObject } from '../../../core/kube-object.ts';
import type { Observation, Unread } from '../../../kit/observation.ts';
import { isExclusivelyOwned } from '../../../kit/owner-references.ts';
import { T4Sessions } from '../kinds.ts';
import { isTerminating } from '../workspace/claim.ts';

/** The object under the name of a session's Pod or Service. */
export type Child =
  | { readonly type: 'absent' }
  | { readonly type: 'owned'; readonly object: KubeObject }
  /** Owned, and being deleted already. */
  | { readonly type: 'terminating'; readonly object: KubeObject }
  /** Owned by somebody else: never changed. */
  | { readonly type: 'foreign' }
  | Unread;

export function childOf(session: KubeObject, reading: Observation<KubeObject>): Child {
  if (reading.type !== 'found') return reading;
  const object = reading.value;
  if (!isExclusivelyOwned(object, T4Sessions, session)) return { type: 'foreign' };
  return { type: isTerminating(object) ? 'terminating' : 'owned', object };
}
