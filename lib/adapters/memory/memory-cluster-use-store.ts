import type { ClusterUse, ClusterUseStore } from '../../ports/cluster-use-store.ts';

export class MemoryClusterUseStore implements ClusterUseStore {
  readonly #records = new Map<string, { readonly use: ClusterUse; readonly relayEpoch: number }>();

  async read(cluster: string): Promise<ClusterUse | undefined> {
    return this.#records.get(cluster)?.use;
  }

  async list(): Promise<ClusterUse[]> {
    const names = [...this.#records.keys()].sort();
    return names.flatMap((name) => this.#records.get(name)?.use ?? []);
  }

  async record(use: ClusterUse, relayEpoch: number): Promise<boolean> {
    const known = this.#records.get(use.cluster);
    if (known !== undefined && known.relayEpoch > relayEpoch) return false;
    this.#records.set(use.cluster, { use, relayEpoch });
    return true;
  }

  async forget(cluster: string): Promise<void> {
    this.#records.delete(cluster);
  }
}
