import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import { kindId, Namespaces } from '../../lib/core/resource-type.ts';
import { certificateAuthority } from '../adapters/kubernetes/certificates.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { HttpFaultProxy, type Upstream } from '../support/http-fault-proxy.ts';
import { Contracts } from './support/contracts.ts';
import { Deployment } from './support/deployment.ts';
import { Edits } from './support/edits.ts';
import { eventually } from './support/eventually.ts';
import type { ClusterRequest, TestCluster } from './support/test-cluster.ts';

/** A cluster, and how a proxy reaches its server as somebody who may do everything. */
export interface Exchangeable extends TestCluster {
  readonly upstream: Upstream;
}

const NAMES = ['one', 'two', 'three', 'four'];

/** Another cluster comes to answer at the endpoint, which takes our credentials and has objects of the same names. */
export function describeClusterIdentity(title: string, openCluster: () => Promise<Exchangeable>): void {
  describe(title, () => {
    const owned = new AsyncDisposableStack();
    const authority = certificateAuthority();
    let cluster: TestCluster;
    let other: TestCluster;
    let endpoint: FaultProxy;
    let ports: { cluster: number; other: number };
    let deployment: Deployment;
    let edits: Edits;
    let uids: { cluster: string; other: string };

    beforeAll(async () => {
      const certificate = () => authority.issue('api-server', ['127.0.0.1']);
      const opened = await Promise.all([openCluster(), openCluster()]);
      for (const each of opened) owned.use(each);
      [cluster, other] = opened;
      const proxies = await Promise.all(opened.map(({ upstream }) => HttpFaultProxy.before(upstream, certificate())));
      for (const each of proxies) owned.use(each);
      ports = { cluster: proxies[0]?.port ?? 0, other: proxies[1]?.port ?? 0 };
      endpoint = owned.use(await FaultProxy.before({ host: '127.0.0.1', port: ports.cluster }));
      const connection = {
        server: `https://127.0.0.1:${endpoint.port}`,
        certificateAuthority: authority.certificate,
      };
      deployment = owned.use(await Deployment.on({ ...cluster, connection: async () => connection }));
      const uidOf = async ({ user }: TestCluster) =>
        (await user.get(Namespaces, { namespace: '', name: 'kube-system' })).metadata.uid;
      uids = { cluster: await uidOf(cluster), other: await uidOf(other) };

      const there = new Edits(new Contracts(other.user));
      edits = new Edits(new Contracts(cluster.user));
      for (const name of NAMES) await Promise.all([edits.create(name), there.create(name)]);
      deployment.start();
      await edits.right();
    });

    afterAll(async () => {
      await owned.disposeAsync();
    });

    /** Waits until the other cluster was looked at so often, and answers all that was asked of it. */
    async function askedOfOther(times: number): Promise<ClusterRequest[]> {
      return await eventually(`${times} looks at the other cluster`, async () => {
        const requests = await other.requestsSince({ position: 0 });
        return requests.length >= times ? requests : undefined;
      });
    }

    function expectOnlyLooks(requests: readonly ClusterRequest[]): void {
      const asked = requests.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
      expect(new Set(asked)).toEqual(new Set(['get namespaces kube-system']));
    }

    it('R-5.16 it gets only requests for its identity, and every target shows why it waits', async () => {
      await endpoint.refuse();
      endpoint.redirect({ host: '127.0.0.1', port: ports.other });
      await edits.round();
      // A pass that finds the connection gone; the next ones find who is there instead.
      await deployment.pass(SecretContracts, await edits.contracts.read('two'));
      await endpoint.heal();
      const { uid } = (await edits.contracts.read('two')).metadata;
      const key = { cluster: deployment.settings.cluster, kind: kindId(SecretContracts), uid };
      const message = await eventually('an outcome that names the other cluster', async () => {
        const { lastOutcome } = (await deployment.store.readTarget(key)) ?? {};
        return lastOutcome?.message.includes(uids.other) ? lastOutcome.message : undefined;
      });
      expect(message).toMatch(/another cluster than the one registered as local answers at its endpoint/);
      expect(message).toContain(`${uids.cluster} is registered`);
      expectOnlyLooks(await askedOfOther(3));
    });

    it('R-5.16 a deployment that is started then is refused as well, since its table knows whose it is', async () => {
      await deployment.stop();
      const before = (await other.requestsSince({ position: 0 })).length;
      deployment.start();
      expectOnlyLooks(await askedOfOther(before + 3));
      await expect(deployment.claim()).rejects.toMatchObject({
        reason: 'Unreachable',
        message: expect.stringContaining(uids.other),
      });
      expect(await new Contracts(other.user).ready('one')).toBeUndefined();
    });

    it('R-5.16 once the registered cluster is back, all that happened in it is reconciled', async () => {
      endpoint.redirect({ host: '127.0.0.1', port: ports.cluster });
      await edits.right();
      await edits.round();
      await edits.right();
    });
  });
}
