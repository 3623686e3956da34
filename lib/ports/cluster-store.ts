import type { KindId } from '../core/resource-type.ts';
import type { RolloutHalt } from '../core/rollout.ts';

/** A relay's hold on a cluster, as the table shows it. */
export interface RelayRecord {
  readonly owner: string;
  readonly epoch: number;
  /** Epoch ms on the holder's clock. It is shown to people, and an older release uses it for decisions. */
  readonly untilMs: number;
  /** Grows with each renewal. */
  readonly renewals: number;
}

/** The person who paused or resumed a cluster last. */
export interface PauseNote {
  /** A person, e.g. `ann@laptop`. */
  readonly by: string;
  /** Epoch ms. */
  readonly atMs: number;
}

export interface ClusterState {
  readonly cluster: string;
  readonly incarnation: number;
  /** Raised every few minutes, first here and then in the cluster. */
  readonly restoreCounter: number;
  /** The value that the cluster showed last. It is lower while a raise is in progress, or cannot be written there. */
  readonly restoreCounterSeen: number;
  readonly relay?: RelayRecord;
  readonly breakerOpenUntilMs?: number;
  readonly paused: boolean;
  /** The last pause or resume; absent when an older release did it. */
  readonly pauseNote?: PauseNote;
  /** UID of the kube-system namespace, pinned at registration. */
  readonly clusterUid?: string;
  /** Rollouts that were stopped, by the kind of their controller; absent when there are none. */
  readonly halts?: Readonly<Record<KindId, RolloutHalt>>;
}

export interface Checkpoint {
  readonly incarnation: number;
  readonly resourceVersion: string;
  readonly heartbeatMs: number;
}

export interface ClusterStore {
  /** A cluster without an item reads as incarnation 1, counter 0, not paused. */
  readCluster(cluster: string): Promise<ClusterState>;
  /**
   * Renews the relay's hold, or takes it when it is free, or when it is still exactly `over`: the record of another
   * relay that the caller found expired. No clock decides here.
   * @returns its epoch (new for a new owner), or undefined while another relay holds it.
   */
  holdRelay(
    cluster: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    over?: RelayRecord,
  ): Promise<number | undefined>;
  releaseRelay(cluster: string, owner: string): Promise<void>;
  /**
   * Raises the restore counter while this relay epoch holds. Returns the new value, or undefined.
   * @param seen what the cluster shows now.
   */
  raiseRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<number | undefined>;
  /** Records the counter that the cluster shows, while this relay epoch holds. */
  recordRestoreCounter(cluster: string, relayEpoch: number, seen: number): Promise<boolean>;
  /**
   * Starts the incarnation after `from`, unless the current one is already newer than `from`. The current one may be
   * older than `from`, in a table that was restored. Returns the current incarnation after that.
   */
  startIncarnation(cluster: string, from: number): Promise<number>;
  setBreaker(cluster: string, openUntilMs: number | undefined): Promise<void>;
  /** @param note the person who does it; without one, none is stored. */
  setPaused(cluster: string, paused: boolean, note?: PauseNote): Promise<void>;
  /** Stops the rollout of a version. The first halt of a version is kept. */
  haltRollout(cluster: string, kind: KindId, halt: RolloutHalt): Promise<void>;
  /** Removes the halt of a kind, whatever its version is. */
  resumeRollout(cluster: string, kind: KindId): Promise<void>;
  /** Pins the cluster's identity if none is pinned. Returns the pinned one. */
  pinClusterUid(cluster: string, uid: string): Promise<string>;

  /**
   * Claims this kind's checkpoint, so that older relays cannot write it, and reads it. Returns `fenced: true` when a
   * newer relay has it.
   * @param kind a kind, or `kind@namespace` when a kind is watched namespace by namespace.
   */
  claimCheckpoint(
    cluster: string,
    kind: KindId,
    relayEpoch: number,
  ): Promise<{ readonly fenced: boolean; readonly checkpoint?: Checkpoint }>;
  /** @returns false when a newer relay has claimed it. */
  saveCheckpoint(cluster: string, kind: KindId, relayEpoch: number, checkpoint: Checkpoint): Promise<boolean>;
  readCheckpoint(cluster: string, kind: KindId): Promise<Checkpoint | undefined>;
}
