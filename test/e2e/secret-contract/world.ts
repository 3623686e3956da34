import { describe } from 'vitest';
import { SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { apiVersion } from '../../../lib/core/resource-type.ts';
import { Contracts } from '../support/contracts.ts';
import type { Deployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { createNamespace } from '../support/prepare-user-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';

export const WRITE = { fieldManager: 'test' };

/** The environment of every test of the suite: a cluster, a deployment that drives it, and new namespaces. */
export class World {
  readonly cluster: TestCluster;
  readonly deployment: Deployment;
  private namespaces = 0;

  constructor(cluster: TestCluster, deployment: Deployment) {
    this.cluster = cluster;
    this.deployment = deployment;
  }

  /** A user in a new namespace that no other test uses. */
  async contracts(): Promise<Contracts> {
    this.namespaces += 1;
    const namespace = `e2e-${this.namespaces}`;
    await createNamespace(this.cluster.user, namespace);
    return new Contracts(this.cluster.user, namespace);
  }

  /** A grant next to a Secret, for the contracts of another namespace. */
  grant(
    owner: Contracts,
    name: string,
    spec: { to: Contracts; secretNames: string[]; expiresAt?: string; allowContentRules?: boolean },
  ): Promise<KubeObject> {
    const { to, ...rest } = spec;
    const grant = {
      apiVersion: apiVersion(SecretContractGrants),
      kind: SecretContractGrants.kind,
      metadata: { name, namespace: owner.namespace },
      spec: { from: [{ namespace: to.namespace }], ...rest } as JsonObject,
    };
    return this.cluster.user.create(SecretContractGrants, grant, WRITE);
  }

  /** Waits until a condition of a contract has this status and reason, at the contract's current generation. */
  async says(contracts: Contracts, name: string, type: string, wanted: string): Promise<void> {
    let last: string | undefined;
    const check = async () => {
      last = await contracts.condition(name, type);
      return last === wanted ? true : undefined;
    };
    await eventually(`${type} ${wanted} of contract ${name}`, check).catch((error: unknown) => {
      throw new Error(`${type} of ${name} should become ${wanted} and was last ${last}`, { cause: error });
    });
  }
}

/** A group of the suite's tests. */
export function area(title: string, tests: (world: () => World) => void): (world: () => World) => void {
  return (world) => describe(title, () => tests(world));
}
