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

/** The deployment allows mutation, so that all roles are used. Resync runs only in the tests that ask for it. */
const SETTINGS = {
  groups: { 'secret-contract': { mutation: { allow: true } } },
};

/**
 * SecretContract through the whole stack: relay, queue, table, worker, timers and sweep, against the given API server.
 * The suite is the same for the embedded one and a real one.
 * @param afterwards more tests of the cluster, which run after all others.
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
