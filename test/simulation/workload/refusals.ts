import type { AdmissionRequest } from '../../../lib/apiserver/state/admission.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView } from '../../../lib/testing/simulation/workload.ts';

/** Says what the cluster's admission does: users write it. */
export const ADMISSION = { namespace: 'default', name: 'sim-admission' } as const;

/** How often each of them refused a creation. */
export type RefusalCounts = Record<'quota' | 'policy' | 'rights', number>;

/** Of a run that has begun. */
export const noRefusals = (): RefusalCounts => ({ quota: 0, policy: 0, rights: 0 });

/** In a run, by the names that its summary shows. */
export function drawnRefusals({ quota, policy, rights }: RefusalCounts): Readonly<Record<string, number>> {
  return {
    'creations refused by quota': quota,
    'creations refused by policy': policy,
    'creations refused by missing rights': rights,
  };
}

type Refusal = (request: AdmissionRequest) => string;

/** What the API server says after `is forbidden`, by what refuses. */
const REFUSALS: Readonly<Record<keyof RefusalCounts, Refusal>> = {
  quota: () => 'exceeded quota: sim, requested: count=1, used: count=1, limited: count=1',
  policy: () => 'violates PodSecurity "restricted:latest": seccompProfile',
  rights: ({ group, resource, namespace }) =>
    `User "evenkeel" cannot create resource "${resource}" in API group "${group}" in the namespace "${namespace}"`,
};

/**
 * Why the cluster refuses to create this; undefined where it does not. It says so by the ConfigMap, so that a cluster that is
 * restored refuses what it refused then.
 * @param counts counted up by what refused.
 */
export function refusalOnCreation(
  request: AdmissionRequest,
  cluster: Pick<ClusterView, 'get'>,
  counts: RefusalCounts,
  isMeant: (request: AdmissionRequest) => boolean,
): string | undefined {
  if (request.operation !== 'CREATE' || !isMeant(request)) return undefined;
  const { refuses = '' } = (cluster.get(ConfigMaps, ADMISSION)?.data ?? {}) as {
    readonly refuses?: keyof RefusalCounts | '';
  };
  if (refuses === '') return undefined;
  counts[refuses] += 1;
  return REFUSALS[refuses](request);
}

/** Quotas, policies and lost rights of the account refuse what is created, or not any more. */
export function changeRefusals(user: User): Promise<void> {
  const refuses = user.pick(['quota', 'policy', 'rights', '', '', '']);
  return user.put(ConfigMaps, { metadata: ADMISSION, data: { refuses } });
}

export function refuseNothing(user: User): Promise<void> {
  return user.edit(ConfigMaps, ADMISSION, { data: { refuses: '' } });
}
