import { Leases } from '../../lib/core/resource-type.ts';
import { SYSTEM_NAMESPACE } from '../../lib/deployment/kubernetes/system-namespace.ts';
import { leaseNameOf, readLease } from '../../lib/engine/deployment-lease/lease-record.ts';
import type { Inspection } from './inspection.ts';

/**
 * The deployment that drives a controller group of the cluster, from its Lease. Undefined when no deployment does, or
 * when the Lease cannot be read from here.
 */
export async function groupHolder({ api }: Pick<Inspection, 'api'>, group: string): Promise<string | undefined> {
  if (api === undefined) return undefined;
  try {
    const lease = await api.get(Leases, { namespace: SYSTEM_NAMESPACE, name: leaseNameOf(group) });
    const { holder } = readLease(lease);
    return holder === '' ? undefined : holder;
  } catch {
    // Ignored, so that the rest of the explanation is still shown.
    return undefined;
  }
}
