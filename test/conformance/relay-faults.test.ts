import type { ResourceType } from '../../lib/core/resource-type.ts';
import type { FaultTarget } from '../e2e/relay-faults/world.ts';
import { describeRelayFaults } from '../e2e/relay-faults.suite.ts';
import { until } from '../real-apiserver/until.ts';
import type { PolicyRule } from '../support/role-manifests.ts';
import { type RealCluster, realCluster } from './real-cluster.ts';

const RELAY_ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/evenkeel-secret-contract-relay';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

describeRelayFaults('a relay in trouble on a real kube-apiserver', async (): Promise<FaultTarget> => {
  const cluster = await realCluster();
  const { server } = cluster;
  return {
    ...cluster,
    upstream: { url: server.url, caPem: server.caPem },
    relayToken: () => cluster.token('relay'),
    forbid: (type) => withoutPermission(cluster, type),
    async snapshot() {
      const file = await server.snapshot();
      return () => server.restart({ restoreFrom: file });
    },
  };
});

/** Removes a kind from the relay's role. */
async function withoutPermission(
  { server }: RealCluster,
  { group, plural }: ResourceType,
): Promise<() => Promise<void>> {
  const role = await server.expectOk({ method: 'GET', path: RELAY_ROLE });
  const { rules } = role.json<{ rules: PolicyRule[] }>();
  const reduced = rules.map((rule) => ({ ...rule, resources: rule.resources?.filter((name) => name !== plural) }));
  const become = async (body: { rules: unknown }, allowed: boolean) => {
    await server.expectOk({ method: 'PATCH', path: RELAY_ROLE, body });
    // The authorizer watches roles, so it sees the change a moment later.
    await until(async () => (await mayList({ server }, group, plural)) === allowed);
  };
  await become({ rules: reduced }, false);
  return () => become({ rules }, true);
}

async function mayList({ server }: Pick<RealCluster, 'server'>, group: string, resource: string): Promise<boolean> {
  const user = 'system:serviceaccount:evenkeel-system:evenkeel-relay';
  const body = { spec: { user, resourceAttributes: { verb: 'list', group, resource } } };
  const review = await server.expectOk({ method: 'POST', path: REVIEWS, body });
  return review.json<{ status: { allowed: boolean } }>().status.allowed;
}
