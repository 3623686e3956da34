import type { KindId } from '../../core/resource-type.ts';
import type { RolloutHalt } from '../../core/rollout.ts';
import type { Checkpoint, ClusterState, ClusterStore, PauseNote, RelayRecord } from '../../ports/state-store.ts';
import { checkpointKey, clusterKey } from '../state-keys.ts';
import {
  type CheckpointDocument,
  type ClusterDocument,
  checkpointOf,
  clusterState,
  readCheckpointItem,
  readClusterItem,
} from './cluster-document.ts';
import type { ItemTable } from './item-table.ts';

/** Returns the new item of a cluster; undefined refuses the request. */
type Change = (cluster: ClusterDocument) => ClusterDocument | undefined;

/**
 * For counters that are raised before the cluster is written, and for commands of a person: the write is on the disk
 * before the promise resolves.
 */
const DURABLE = { durable: true };

export class SqliteClusterStore implements ClusterStore {
  readonly #items: ItemTable;

  constructor(items: ItemTable) {
    this.#items = items;
  }

  readCluster(cluster: string): Promise<ClusterState> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', 'GetItem', {});
      const key = clusterKey(cluster);
      return clusterState(cluster, readClusterItem(key, this.#items.find(key)));
    });
  }

  async holdRelay(
    cluster: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    over?: RelayRecord,
  ): Promise<number | undefined> {
    const after = await this.#change(cluster, (before) => {
      const renewals = (before.relayRenewals ?? 0) + 1;
      if (before.relay?.owner === owner) {
        return { ...before, relayRenewals: renewals, relay: { ...before.relay, untilMs, renewals } };
      }
      if (before.relay !== undefined && !isSameRecord(before.relay, over)) return undefined;
      const epoch = (before.relayEpoch ?? Math.ceil(nowMs)) + 1;
      return { ...before, relayEpoch: epoch, relayRenewals: renewals, relay: { owner, epoch, untilMs, renewals } };
    });
    return after?.relay?.epoch;
  }

  async releaseRelay(cluster: string, owner: string): Promise<void> {
    await this.#change(cluster, ({ relay, ...rest }) => (relay?.owner === owner ? rest : undefined));
  }

  async raiseRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<number | undefined> {
    const raise: Change = (before) =>
      before.relay?.epoch === relayEpoch
        ? { ...before, restoreCounter: before.restoreCounter + 1, restoreCounterSeen: seen }
        : undefined;
    return (await this.#change(cluster, raise, DURABLE))?.restoreCounter;
  }

  async recordRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<boolean> {
    const record: Change = (before) =>
      before.relay?.epoch === relayEpoch ? { ...before, restoreCounterSeen: seen } : undefined;
    return (await this.#change(cluster, record)) !== undefined;
  }

  async startIncarnation(cluster: string, from: number): Promise<number> {
    const start: Change = (before) => (before.incarnation <= from ? { ...before, incarnation: from + 1 } : undefined);
    const after = await this.#change(cluster, start, DURABLE);
    return after?.incarnation ?? (await this.readCluster(cluster)).incarnation;
  }

  async setBreaker(cluster: string, openUntilMs: number | undefined): Promise<void> {
    await this.#change(cluster, ({ breakerOpenUntilMs: _before, ...rest }) =>
      openUntilMs === undefined ? rest : { ...rest, breakerOpenUntilMs: openUntilMs },
    );
  }

  async setPaused(cluster: string, paused: boolean, pauseNote?: PauseNote): Promise<void> {
    await this.#change(cluster, (before) => ({ ...before, paused, pauseNote }), DURABLE);
  }

  async haltRollout(cluster: string, kind: KindId, halt: RolloutHalt): Promise<void> {
    const stop: Change = (before) =>
      before.halts?.[kind]?.version === halt.version
        ? undefined
        : { ...before, halts: { ...before.halts, [kind]: { ...halt } } };
    await this.#change(cluster, stop, DURABLE);
  }

  async resumeRollout(cluster: string, kind: KindId): Promise<void> {
    const resume: Change = ({ halts = {}, ...rest }) => {
      const { [kind]: _resumed, ...others } = halts;
      return { ...rest, ...(Object.keys(others).length > 0 && { halts: others }) };
    };
    await this.#change(cluster, resume, DURABLE);
  }

  async pinClusterUid(cluster: string, uid: string): Promise<string> {
    const pin: Change = (before) => ({ ...before, clusterUid: before.clusterUid ?? uid });
    return (await this.#change(cluster, pin, DURABLE))?.clusterUid ?? uid;
  }

  claimCheckpoint(
    cluster: string,
    kind: KindId,
    relayEpoch: number,
  ): Promise<{ fenced: boolean; checkpoint?: Checkpoint }> {
    return this.#items.connection.write(() => {
      const before = this.#putCheckpoint(cluster, kind, relayEpoch, (document) => ({ ...document, relayEpoch }));
      return before === 'fenced' ? { fenced: true } : { fenced: false, ...checkpointOf(before) };
    });
  }

  saveCheckpoint(cluster: string, kind: KindId, relayEpoch: number, checkpoint: Checkpoint): Promise<boolean> {
    return this.#items.connection.write(() => {
      const save = (document: CheckpointDocument | undefined) => ({
        ...document,
        relayEpoch,
        checkpoint: { ...checkpoint },
      });
      return this.#putCheckpoint(cluster, kind, relayEpoch, save) !== 'fenced';
    });
  }

  readCheckpoint(cluster: string, kind: KindId): Promise<Checkpoint | undefined> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', 'GetItem', {});
      const key = checkpointKey(cluster, kind);
      return checkpointOf(readCheckpointItem(key, this.#items.find(key))).checkpoint;
    });
  }

  #change(cluster: string, change: Change, options: { durable?: boolean } = {}): Promise<ClusterDocument | undefined> {
    return this.#items.connection.write(() => {
      const key = clusterKey(cluster);
      const item = this.#items.find(key);
      const after = change(readClusterItem(key, item));
      this.#items.onRequest('dynamodb', 'UpdateItem', { refused: after === undefined });
      if (after !== undefined) this.#items.put(key, item, { body: after });
      return after;
    }, options);
  }

  /** @returns the item before the change, unless a newer relay has claimed it. */
  #putCheckpoint(
    cluster: string,
    kind: KindId,
    relayEpoch: number,
    change: (before: CheckpointDocument | undefined) => CheckpointDocument,
  ): CheckpointDocument | undefined | 'fenced' {
    const key = checkpointKey(cluster, kind);
    const item = this.#items.find(key);
    const before = readCheckpointItem(key, item);
    const isFenced = before !== undefined && before.relayEpoch > relayEpoch;
    this.#items.onRequest('dynamodb', 'UpdateItem', { refused: isFenced });
    if (isFenced) return 'fenced';
    this.#items.put(key, item, { body: change(before) });
    return before;
  }
}

function isSameRecord(found: RelayRecord, over: RelayRecord | undefined): boolean {
  return (
    found.owner === over?.owner &&
    found.epoch === over.epoch &&
    found.untilMs === over.untilMs &&
    found.renewals === over.renewals
  );
}
