import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { ObservedCall } from './process.ts';
import type { User } from './user.ts';

/** Kinds on which no decision depends. */
const IDLE_KINDS = new Set(['events.events.k8s.io', 'leases.coordination.k8s.io']);

/**
 * Makes a user change the object of a call to the cluster just before the call: the user edits it, deletes it, or takes
 * its name.
 * @returns false when the call has no object.
 */
export async function meddleWith(
  { port, method, args }: ObservedCall,
  user: User,
  namesAreTaken: boolean,
): Promise<boolean> {
  if (port !== 'api' || method === 'list' || (method === 'create' && !namesAreTaken)) return false;
  const [type, second] = args as [ResourceType, ObjectName | KubeObject];
  if (IDLE_KINDS.has(kindId(type))) return false;
  const { namespace = '', name } = 'metadata' in second ? second.metadata : second;
  if (method === 'create') await user.put(type, { metadata: { namespace, name } });
  else if (user.chance(0.2)) await user.remove(type, { namespace, name });
  else
    await user.edit(type, { namespace, name }, { metadata: { annotations: { meddled: String(user.number(1_000)) } } });
  return true;
}
