import type { AdmissionRequest } from '../../../lib/apiserver/state/admission.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView } from '../../../lib/testing/simulation/workload.ts';

/** Tells the cluster's admission what to do: users write it. */
export const ADMISSION = { namespace: 'default', name: 'sim-admission' } as const;

/** How often each of them refused a creation. */
export type RefusalCounts = Record<'quota' | 'policy' | 'rights', number>;

/** The counts at the start of a run. */
export const noRefusals = (): RefusalCounts => ({ quota: 0, policy: 0, rights: 0 });

/** The counts of a run, by the names in its summary. */
export function drawnRefusals({ quota, policy, rights }: RefusalCounts): Readonly<Record<string, number>> {
  return {
    'creations refused by quota': quota,
    'creations refused by policy': policy,
    'creations refused by missing rights': rights,
  };
}

type Refusal = (request: AdmissionRequest) => string;

/** The API server's text after `is forbidden`, by what refuses. */
const REFUSALS: Readonly<Record<keyof RefusalCounts, Refusal>> = {
  quota: () => 'exceeded quota: sim, requested: count=1, used: count=1, limited: count=1',
  policy: () => 'violates PodSecurity "restricted:latest": seccompProfile',
  rights: ({ group, resource, namespace }) =>
    `User "evenkeel" cannot create resource "${resource}" in API group "${group}" in the namespace "${namespace}"`,
};

/**
 * Why the cluster refuses this create; undefined when it does not. The ConfigMap decides this, so a restored cluster
 * refuses what it refused at that time.
 * @param counts counted up for what refused.
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

/** Makes quotas, policies and lost rights of the account refuse creates, or stops that. */
export function changeRefusals(user: User): Promise<void> {
  const refuses = user.pick(['quota', 'policy', 'rights', '', '', '']);
  return user.put(ConfigMaps, { metadata: ADMISSION, data: { refuses } });
}

export function refuseNothing(user: User): Promise<void> {
  return user.edit(ConfigMaps, ADMISSION, { data: { refuses: '' } });
}
