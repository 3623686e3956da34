import type { Registry } from '../../engine/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { ClusterUseStore } from '../../ports/cluster-use-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SchemaDigests } from '../../ports/schema-digests.ts';
import type { ClusterStore } from '../../ports/state-store.ts';
import { isSameUse, readClusterUse } from '../kubernetes/cluster-use.ts';
import type { Settings } from '../settings/settings-schema.ts';

export interface UseRecorderOptions {
  readonly uses: ClusterUseStore;
  readonly store: Pick<ClusterStore, 'readCluster'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this program. */
  readonly release: string;
}

/** A cluster whose use is recorded. */
export interface RecordedCluster {
  readonly installation: {
    readonly api: ClusterApi;
    readonly registry: Pick<Registry, 'controllers'>;
    readonly settings: Pick<Settings, 'scope'>;
    /** As Leases name it. */
    readonly deployment: string;
  };
  readonly schemas?: SchemaDigests;
}

/** Records in the table what clusters have of the deployment, so that it is known when a cluster cannot be asked any more. */
export class UseRecorder {
  readonly #options: UseRecorderOptions;

  constructor(options: UseRecorderOptions) {
    this.#options = options;
  }

  /**
   * Reads the cluster, and writes when the record differs. Without a change it costs two reads of the table.
   * @param relayOwner records only while this relay holds the cluster.
   * @param signal ends it early, without a record.
   * @returns false while another relay holds the cluster. A failure is logged, and is no reason to try again soon. Never rejects.
   */
  async record(
    cluster: string,
    { installation, schemas }: RecordedCluster,
    relayOwner: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { uses, store, clock, logger, release } = this.#options;
    const { api, registry, settings, deployment } = installation;
    try {
      // The epoch is read before the cluster, so that a newer relay's later reading is not replaced.
      const { relay } = await store.readCluster(cluster);
      if (relay?.owner !== relayOwner) return false;
      if (schemas === undefined) return true;
      const recorded = await uses.read(cluster);
      const using = { deployment, controllers: registry.controllers, scope: settings.scope };
      const read = await readClusterUse({ api, schemas }, using, recorded, { signal });
      const use = { cluster, ...read, release };
      if (!isSameUse(use, recorded)) await uses.record({ ...use, sinceMs: clock.now() }, relay.epoch);
    } catch (error) {
      const message = 'what the cluster has of this deployment could not be recorded';
      if (!signal.aborted) logger.error(message, error, { cluster });
    }
    return true;
  }
}
