import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../lib/core/kube-object.ts';
import { apiVersion, Secrets } from '../../../lib/core/resource-type.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';
import { eventually } from './eventually.ts';

const WRITE = { fieldManager: 'test' };

/** A user's operations on contracts and Secrets of one namespace. */
export class Contracts implements AsyncDisposable {
  readonly api: ClusterApi;
  readonly namespace: string;
  private readonly close: () => Promise<void>;

  /** @param namespace must exist. */
  constructor(api: ClusterApi, namespace = 'default', close = async () => {}) {
    this.api = api;
    this.namespace = namespace;
    this.close = close;
  }

  static async connect(kubeconfig: string): Promise<Contracts> {
    const clock = new SystemClock();
    const { connection } = await loadKubeconfig({ file: kubeconfig, environment: {}, clock });
    const { api, close } = connectCluster({ connection, userAgent: 'test', clock });
    return new Contracts(api, 'default', close);
  }

  createSecret(name: string, data: Record<string, string>): Promise<KubeObject> {
    const metadata = { name, namespace: this.namespace };
    return this.api.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data }, WRITE);
  }

  /** Replaces the keys of a Secret; null removes one. */
  patchSecret(
    name: string,
    stringData: Record<string, string> | undefined,
    removed: string[] = [],
  ): Promise<KubeObject> {
    const data = Object.fromEntries(removed.map((key) => [key, null]));
    const patch = { ...(stringData && { stringData }), ...(removed.length > 0 && { data }) };
    return this.api.patch(Secrets, this.named(name), { type: 'merge', patch }, WRITE);
  }

  async deleteSecret(name: string): Promise<void> {
    const { metadata } = await this.api.get(Secrets, this.named(name));
    await this.api.delete(Secrets, this.named(name), { preconditions: { uid: metadata.uid } });
  }

  /** A contract for the Secret of the same name, unless the spec says otherwise. */
  createContract(name: string, keys: readonly string[], spec: JsonObject = {}): Promise<KubeObject> {
    return this.api.create(
      SecretContracts,
      {
        apiVersion: apiVersion(SecretContracts),
        kind: SecretContracts.kind,
        metadata: { name, namespace: this.namespace },
        spec: { secretRef: { name }, keys: keys.map((key) => ({ name: key })), ...spec },
      },
      WRITE,
    );
  }

  patchContract(name: string, keys: readonly string[]): Promise<KubeObject> {
    const patch = { spec: { keys: keys.map((key) => ({ name: key })) } };
    return this.api.patch(SecretContracts, this.named(name), { type: 'merge', patch }, WRITE);
  }

  async deleteContract(name: string): Promise<void> {
    const { metadata } = await this.read(name);
    await this.api.delete(SecretContracts, this.named(name), { preconditions: { uid: metadata.uid } });
  }

  read(name: string): Promise<KubeObject> {
    return this.api.get(SecretContracts, this.named(name));
  }

  /** `True AllSatisfied`, at the contract's current generation; undefined while there is no such status. */
  ready(name: string): Promise<string | undefined> {
    return this.condition(name, 'Ready');
  }

  /** The same for any condition. */
  async condition(name: string, wanted: string): Promise<string | undefined> {
    const contract = await this.read(name);
    const condition = readConditions(contract.status).find(({ type }) => type === wanted);
    if (condition === undefined || condition.observedGeneration !== contract.metadata.generation) return undefined;
    return `${condition.status} ${condition.reason}`;
  }

  /** Waits until the contract has this status for the current Secret. */
  async becomes(name: string, wanted: string, limitMs?: number): Promise<void> {
    let last: string | undefined;
    const check = async () => {
      last = await this.ready(name);
      return last === wanted && (await this.sawSecret(name)) ? true : undefined;
    };
    await eventually(`contract ${name} with ${wanted}`, check, limitMs).catch((error: unknown) => {
      throw new Error(`contract ${name} should become ${wanted} and was last seen ${last}`, { cause: error });
    });
  }

  /** Whether the contract's status was computed from the Secret's current version. */
  private async sawSecret(name: string): Promise<boolean> {
    const [contract, secret] = await Promise.all([this.read(name), this.readSecret(name)]);
    const { observedSecret } = (contract.status ?? {}) as { observedSecret?: { resourceVersion?: string } };
    return observedSecret?.resourceVersion === secret?.metadata.resourceVersion;
  }

  async readSecret(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.api.get(Secrets, this.named(name));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  private named(name: string): ObjectName {
    return { namespace: this.namespace, name };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
