import { afterAll, beforeAll, describe } from 'vitest';
import { downtime } from './secret-contract/downtime.ts';
import { grants } from './secret-contract/grants.ts';
import { idleness } from './secret-contract/idleness.ts';
import { kubectlFlows } from './secret-contract/kubectl-flows.ts';
import { lifecycle } from './secret-contract/lifecycle.ts';
import { ownLeases } from './secret-contract/own-leases.ts';
import { rollout } from './secret-contract/rollout.ts';
import { World } from './secret-contract/world.ts';
import { Deployment } from './support/deployment.ts';
import type { TestCluster } from './support/test-cluster.ts';

/** The deployment allows mutation, so that every role there is gets used. Resync runs where a test says so. */
const SETTINGS = {
  groups: { 'secret-contract': { mutation: { allow: true } } },
};

/**
 * SecretContract through the whole stack: relay, queue, table, worker, wake and sweep against whichever API server is
 * given. Runs unchanged on the embedded one and on a real one.
 * @param afterwards what there is to say of the cluster once all of it ran.
 */
export function describeSecretContract(
  title: string,
  openCluster: () => Promise<TestCluster>,
  afterwards: () => void = () => {},
): void {
  describe(title, () => {
    let world: World;

    beforeAll(async () => {
      const cluster = await openCluster();
      const deployment = await Deployment.on(cluster, { settings: SETTINGS });
      deployment.start();
      world = new World(cluster, deployment);
    });

    afterAll(async () => {
      await world.deployment[Symbol.asyncDispose]();
      await world.cluster[Symbol.asyncDispose]();
    });

    for (const area of [lifecycle, idleness, grants, rollout, downtime, kubectlFlows, ownLeases]) area(() => world);
    afterwards();
  });
}
