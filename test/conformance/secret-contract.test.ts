import { beforeAll, describe, expect, it } from 'vitest';
import { describeSecretContract } from '../e2e/secret-contract.suite.ts';
import type { ClusterRequest, Identity } from '../e2e/support/test-cluster.ts';
import { roleManifests, roleSets } from '../support/role-manifests.ts';
import { type Permission, permissionsOfAccount, shownPermission } from '../support/role-permissions.ts';
import { isOurs, type RealCluster, realCluster, toRequest } from './real-cluster.ts';

const ACCOUNTS = 'system:serviceaccount:evenkeel-system:evenkeel-';
const IDENTITIES: readonly Identity[] = ['secret-contract', 'relay'];

let cluster: RealCluster;

describeSecretContract(
  'SecretContract on a real kube-apiserver',
  async () => {
    cluster = await realCluster();
    return cluster;
  },
  () => {
    describe('the requests of this run, as the API server recorded them', () => {
      let requests: Map<string, ClusterRequest[]>;

      beforeAll(async () => {
        const entries = (await cluster.server.auditEntries()).filter(isOurs);
        requests = new Map(
          [...Map.groupBy(entries, ({ user }) => user.username)].map(([user, own]) => [user, own.map(toRequest)]),
        );
      });

      it('R-5.12 came from the two service accounts alone, and none was forbidden', () => {
        expect(new Set(requests.keys())).toEqual(new Set(IDENTITIES.map((identity) => ACCOUNTS + identity)));
        const forbidden = [...requests.values()].flat().filter(({ status }) => status === 403);
        expect(forbidden).toEqual([]);
      });

      it.each(IDENTITIES)('R-5.12 need exactly the permissions in the roles of %s', (identity) => {
        const sets = roleSets().filter((set) => set === 'shared' || set.startsWith('secret-contract'));
        const permissions = permissionsOfAccount(roleManifests(sets), `evenkeel-${identity}`);
        const unused = new Set(permissions);
        const unforeseen: ClusterRequest[] = [];
        for (const request of requests.get(ACCOUNTS + identity) ?? []) {
          const used = permissions.filter((permission) => permits(permission, request));
          if (used.length === 0) unforeseen.push(request);
          for (const permission of used) unused.delete(permission);
        }
        expect(unforeseen).toEqual([]);
        expect([...unused].filter((permission) => !isOfRestarts(permission)).map(shownPermission)).toEqual([]);
      });
    });

    it('R-5.12 R-4.4 the API server lets nobody list or watch Secrets but the relay, and it for secret-contract alone', async () => {
      const accounts = roleManifests().filter(({ kind }) => kind === 'ServiceAccount');
      const allowed: string[] = [];
      for (const { metadata } of accounts) {
        for (const verb of ['list', 'watch']) {
          const spec = {
            user: `system:serviceaccount:evenkeel-system:${metadata.name}`,
            resourceAttributes: { verb, resource: 'secrets', version: 'v1' },
          };
          const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
          const review = await cluster.server.expectOk({ method: 'POST', path, body: { spec } });
          if (review.json<{ status: { allowed: boolean } }>().status.allowed) allowed.push(`${metadata.name} ${verb}`);
        }
      }
      expect(allowed).toEqual(['evenkeel-relay list', 'evenkeel-relay watch']);
    });
  },
);

/**
 * A right that is used only after a restart, to find the Events of the process before. No process ends here;
 * `pod.test.ts` kills one and checks this right.
 */
function isOfRestarts({ verb, resource }: Permission): boolean {
  return verb === 'get' && resource.startsWith('events');
}

function permits({ verb, resource, name, namespace }: Permission, request: ClusterRequest): boolean {
  return (
    verb === request.verb &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  );
}
