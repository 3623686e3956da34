import type { ObjectName } from '../core/kube-object.ts';
import type { KindId } from '../core/resource-type.ts';
import type { TargetKey } from '../core/target.ts';
import type { DelayedRound, FanoutKey, FanoutMarker, FanoutStore, Observation } from '../ports/fanout-store.ts';
import type {
  AcquireRequest,
  Checkpoint,
  ClusterStore,
  CommitRecord,
  Edge,
  EdgeStore,
  LeaseHold,
  MessageFailures,
  PollKey,
  PollState,
  PollStore,
  ReadersPage,
  RelayRecord,
  StateStore,
  TargetStore,
} from '../ports/state-store.ts';

export interface StateStoreParts {
  readonly targets: TargetStore;
  readonly edges: EdgeStore;
  readonly polls: PollStore;
  readonly fanouts: FanoutStore;
  readonly clusters: ClusterStore;
  readonly failures: MessageFailures;
}

/** A state store that consists of five parts, so that each adapter has one file for each part. */
export class ComposedStateStore implements StateStore {
  readonly #targets: TargetStore;
  readonly #edges: EdgeStore;
  readonly #polls: PollStore;
  readonly #fanouts: FanoutStore;
  readonly #clusters: ClusterStore;
  readonly #failures: MessageFailures;

  constructor(parts: StateStoreParts) {
    this.#targets = parts.targets;
    this.#edges = parts.edges;
    this.#polls = parts.polls;
    this.#fanouts = parts.fanouts;
    this.#clusters = parts.clusters;
    this.#failures = parts.failures;
  }

  get shards() {
    return this.#targets.shards;
  }

  acquire(request: AcquireRequest) {
    return this.#targets.acquire(request);
  }
  readTarget(target: TargetKey) {
    return this.#targets.readTarget(target);
  }
  readTargets(targets: readonly TargetKey[]) {
    return this.#targets.readTargets(targets);
  }
  markHeld(hold: LeaseHold, mark: string, dueAtMs: number, nowMs: number, address?: ObjectName) {
    return this.#targets.markHeld(hold, mark, dueAtMs, nowMs, address);
  }
  renewAttempt(hold: LeaseHold, attempt: string) {
    return this.#targets.renewAttempt(hold, attempt);
  }
  commit(hold: LeaseHold, record: CommitRecord, dirtySeen?: readonly string[]) {
    return this.#targets.commit(hold, record, dirtySeen);
  }
  commitOverDirty(hold: LeaseHold, record: CommitRecord) {
    return this.#targets.commitOverDirty(hold, record);
  }
  defer(hold: LeaseHold, record: Parameters<TargetStore['defer']>[1]) {
    return this.#targets.defer(hold, record);
  }
  forget(hold: LeaseHold, keepUntilMs: number) {
    return this.#targets.forget(hold, keepUntilMs);
  }
  saveValues(hold: LeaseHold, values: CommitRecord['values']) {
    return this.#targets.saveValues(hold, values);
  }
  pushDue(target: TargetKey, from: { dueAtMs: number; epoch: number }, toDueAtMs: number, nowMs: number) {
    return this.#targets.pushDue(target, from, toDueAtMs, nowMs);
  }
  due(shard: number, untilMs: number, after?: string) {
    return this.#targets.due(shard, untilMs, after);
  }
  inventory(cluster: string, kind: KindId, shard: number, after?: string) {
    return this.#targets.inventory(cluster, kind, shard, after);
  }

  putEdge(edge: Edge) {
    return this.#edges.putEdge(edge);
  }
  deleteEdge(edge: Edge) {
    return this.#edges.deleteEdge(edge);
  }
  readers(cluster: string, key: string, page?: ReadersPage) {
    return this.#edges.readers(cluster, key, page);
  }
  edges(cluster: string, kind: KindId, shard: number, after?: string) {
    return this.#edges.edges(cluster, kind, shard, after);
  }

  touchPoll(poll: PollKey, nowMs: number, intervalMs: number) {
    return this.#polls.touchPoll(poll, nowMs, intervalMs);
  }
  readPoll(poll: PollKey) {
    return this.#polls.readPoll(poll);
  }
  savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number) {
    return this.#polls.savePoll(read, version, dueAtMs, nowMs);
  }
  deletePoll(poll: PollKey, counter: number) {
    return this.#polls.deletePoll(poll, counter);
  }

  recordChange(key: FanoutKey, observation: Observation, nowMs: number) {
    return this.#fanouts.recordChange(key, observation, nowMs);
  }
  readMarker(key: FanoutKey) {
    return this.#fanouts.readMarker(key);
  }
  beginRound(read: FanoutMarker, nowMs: number, prompt: boolean) {
    return this.#fanouts.beginRound(read, nowMs, prompt);
  }
  recordDelayed(read: FanoutMarker, delayed: Omit<DelayedRound, 'round'>) {
    return this.#fanouts.recordDelayed(read, delayed);
  }

  readCluster(cluster: string) {
    return this.#clusters.readCluster(cluster);
  }
  holdRelay(cluster: string, owner: string, nowMs: number, untilMs: number, over?: RelayRecord) {
    return this.#clusters.holdRelay(cluster, owner, nowMs, untilMs, over);
  }
  releaseRelay(cluster: string, owner: string) {
    return this.#clusters.releaseRelay(cluster, owner);
  }
  raiseRestoreCounter(cluster: string, relayEpoch: number, seen: number) {
    return this.#clusters.raiseRestoreCounter(cluster, relayEpoch, seen);
  }

  recordRestoreCounter(cluster: string, relayEpoch: number, seen: number) {
    return this.#clusters.recordRestoreCounter(cluster, relayEpoch, seen);
  }
  startIncarnation(cluster: string, from: number) {
    return this.#clusters.startIncarnation(cluster, from);
  }
  setBreaker(cluster: string, openUntilMs: number | undefined) {
    return this.#clusters.setBreaker(cluster, openUntilMs);
  }
  haltRollout(...args: Parameters<ClusterStore['haltRollout']>) {
    return this.#clusters.haltRollout(...args);
  }
  resumeRollout(...args: Parameters<ClusterStore['resumeRollout']>) {
    return this.#clusters.resumeRollout(...args);
  }
  setPaused(...args: Parameters<ClusterStore['setPaused']>) {
    return this.#clusters.setPaused(...args);
  }
  pinClusterUid(cluster: string, uid: string) {
    return this.#clusters.pinClusterUid(cluster, uid);
  }
  claimCheckpoint(cluster: string, kind: KindId, relayEpoch: number) {
    return this.#clusters.claimCheckpoint(cluster, kind, relayEpoch);
  }
  saveCheckpoint(cluster: string, kind: KindId, relayEpoch: number, checkpoint: Checkpoint) {
    return this.#clusters.saveCheckpoint(cluster, kind, relayEpoch, checkpoint);
  }
  readCheckpoint(cluster: string, kind: KindId) {
    return this.#clusters.readCheckpoint(cluster, kind);
  }

  countFailure(message: string, nowMs: number) {
    return this.#failures.countFailure(message, nowMs);
  }
}
