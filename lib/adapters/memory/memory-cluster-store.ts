import type { KindId } from '../../core/resource-type.ts';
import type { RolloutHalt } from '../../core/rollout.ts';
import type { Checkpoint, ClusterState, ClusterStore, PauseNote, RelayRecord } from '../../ports/state-store.ts';
import type { OnRequest } from '../request-observer.ts';

interface ClusterItem extends ClusterState {
  /** Kept after the relay's hold has ended, so that no relay epoch is used twice. */
  readonly relayEpoch?: number;
  /** Kept after the relay's hold has ended, so that each renewal of a hold has its own number. */
  readonly relayRenewals?: number;
}

interface CheckpointItem {
  readonly relayEpoch: number;
  readonly checkpoint?: Checkpoint;
}

export class MemoryClusterStore implements ClusterStore {
  readonly #onRequest: OnRequest;
  readonly #clusters = new Map<string, ClusterItem>();
  readonly #checkpoints = new Map<string, CheckpointItem>();

  constructor(onRequest: OnRequest) {
    this.#onRequest = onRequest;
  }

  async readCluster(cluster: string): Promise<ClusterState> {
    this.#onRequest('dynamodb', 'GetItem', {});
    const { relayEpoch: _relayEpoch, relayRenewals: _relayRenewals, ...state } = this.#get(cluster);
    return state;
  }

  async holdRelay(
    cluster: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    over?: RelayRecord,
  ): Promise<number | undefined> {
    const item = this.#get(cluster);
    const renewals = (item.relayRenewals ?? 0) + 1;
    if (item.relay?.owner === owner) {
      this.#put({ ...item, relayRenewals: renewals, relay: { ...item.relay, untilMs, renewals } });
      return item.relay.epoch;
    }
    this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
    if (item.relay !== undefined && !isSameRecord(item.relay, over)) {
      this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
      return undefined;
    }
    const epoch = (item.relayEpoch ?? nowMs) + 1;
    this.#put({ ...item, relayEpoch: epoch, relayRenewals: renewals, relay: { owner, epoch, untilMs, renewals } });
    return epoch;
  }

  async releaseRelay(cluster: string, owner: string): Promise<void> {
    const { relay, ...rest } = this.#get(cluster);
    if (relay?.owner === owner) this.#put(rest);
    else this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
  }

  async raiseRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<number | undefined> {
    const item = this.#get(cluster);
    if (item.relay?.epoch !== relayEpoch) {
      this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
      return undefined;
    }
    return this.#put({ ...item, restoreCounter: item.restoreCounter + 1, restoreCounterSeen: seen }).restoreCounter;
  }

  async recordRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<boolean> {
    const item = this.#get(cluster);
    if (item.relay?.epoch !== relayEpoch) {
      this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
      return false;
    }
    this.#put({ ...item, restoreCounterSeen: seen });
    return true;
  }

  async startIncarnation(cluster: string, from: number): Promise<number> {
    const item = this.#get(cluster);
    if (item.incarnation <= from) return this.#put({ ...item, incarnation: from + 1 }).incarnation;
    this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
    this.#onRequest('dynamodb', 'GetItem', {});
    return item.incarnation;
  }

  async setBreaker(cluster: string, openUntilMs: number | undefined): Promise<void> {
    const { breakerOpenUntilMs: _before, ...rest } = this.#get(cluster);
    this.#put(openUntilMs === undefined ? rest : { ...rest, breakerOpenUntilMs: openUntilMs });
  }

  async setPaused(cluster: string, paused: boolean, pauseNote?: PauseNote): Promise<void> {
    const { pauseNote: _before, ...item } = this.#get(cluster);
    this.#put({ ...item, paused, ...(pauseNote !== undefined && { pauseNote }) });
  }

  async haltRollout(cluster: string, kind: KindId, halt: RolloutHalt): Promise<void> {
    const item = this.#get(cluster);
    if (item.halts?.[kind]?.version === halt.version) this.#onRequest('dynamodb', 'UpdateItem', { refused: true });
    else this.#put({ ...item, halts: { ...item.halts, [kind]: { ...halt } } });
  }

  async resumeRollout(cluster: string, kind: KindId): Promise<void> {
    const { halts = {}, ...rest } = this.#get(cluster);
    const { [kind]: _resumed, ...others } = halts;
    this.#put({ ...rest, ...(Object.keys(others).length > 0 && { halts: others }) });
  }

  async pinClusterUid(cluster: string, uid: string): Promise<string> {
    const item = this.#get(cluster);
    return this.#put({ ...item, clusterUid: item.clusterUid ?? uid }).clusterUid ?? uid;
  }

  async claimCheckpoint(
    cluster: string,
    kind: KindId,
    relayEpoch: number,
  ): Promise<{ fenced: boolean; checkpoint?: Checkpoint }> {
    const item = this.#checkpoints.get(`${cluster}#${kind}`);
    const fenced = item !== undefined && item.relayEpoch > relayEpoch;
    this.#onRequest('dynamodb', 'UpdateItem', { refused: fenced });
    if (fenced) return { fenced };
    this.#checkpoints.set(`${cluster}#${kind}`, { ...item, relayEpoch });
    return { fenced, ...(item?.checkpoint !== undefined && { checkpoint: item.checkpoint }) };
  }

  async saveCheckpoint(cluster: string, kind: KindId, relayEpoch: number, checkpoint: Checkpoint): Promise<boolean> {
    const fenced = (this.#checkpoints.get(`${cluster}#${kind}`)?.relayEpoch ?? relayEpoch) > relayEpoch;
    this.#onRequest('dynamodb', 'UpdateItem', { refused: fenced });
    if (fenced) return false;
    this.#checkpoints.set(`${cluster}#${kind}`, { relayEpoch, checkpoint: Object.freeze({ ...checkpoint }) });
    return true;
  }

  async readCheckpoint(cluster: string, kind: KindId): Promise<Checkpoint | undefined> {
    this.#onRequest('dynamodb', 'GetItem', {});
    return this.#checkpoints.get(`${cluster}#${kind}`)?.checkpoint;
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    const clusters = [...this.#clusters];
    const checkpoints = [...this.#checkpoints];
    return () => {
      this.#clusters.clear();
      this.#checkpoints.clear();
      for (const [cluster, item] of clusters) this.#clusters.set(cluster, item);
      for (const [stream, item] of checkpoints) this.#checkpoints.set(stream, item);
    };
  }

  #get(cluster: string): ClusterItem {
    return (
      this.#clusters.get(cluster) ?? {
        cluster,
        incarnation: 1,
        restoreCounter: 0,
        restoreCounterSeen: 0,
        paused: false,
      }
    );
  }

  #put(item: ClusterItem): ClusterItem {
    this.#onRequest('dynamodb', 'UpdateItem', {});
    this.#clusters.set(item.cluster, Object.freeze(item));
    return item;
  }
}

function isSameRecord(found: RelayRecord, { owner, epoch, untilMs, renewals }: Partial<RelayRecord> = {}): boolean {
  return found.owner === owner && found.epoch === epoch && found.untilMs === untilMs && found.renewals === renewals;
}
