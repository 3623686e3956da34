import type { ConditionOwners } from '../core/condition-owners.ts';
import type { Cover } from '../core/cover.ts';
import type { ObjectName } from '../core/kube-object.ts';
import type { DirtyMark, EdgeKey, ObjectKey } from '../core/observation.ts';
import type { Outcome } from '../core/outcome.ts';
import type { PackedHistory } from '../core/pass-history.ts';
import type { Bucket } from '../core/rate-limit.ts';
import type { DurableValues } from '../core/reconcile-context.ts';
import type { KindId } from '../core/resource-type.ts';
import type { Target, TargetKey } from '../core/target.ts';
import type { Page } from './page.ts';
import type { PollKey } from './poll-store.ts';

/** How the last pass of a target ended, as a closed set. */
export type LastOutcomeType =
  | Outcome['type']
  /** Not reconciled: paused by annotation, outside the installation's scope, or cleaned up and held by others' finalizers. */
  | 'paused'
  | 'unmanaged'
  | 'deleting'
  /** Put off without running. */
  | 'crashing'
  | 'rateLimited'
  | 'clusterPaused'
  | 'clusterThrottled'
  | 'clusterUnreachable'
  | 'anotherDeployment';

export interface LastOutcome {
  readonly type: LastOutcomeType;
  readonly reason: string;
  /** Free of server text and secrets, at most 512 code points. */
  readonly message: string;
  readonly atMs: number;
  readonly durationMs: number;
  readonly cause: string;
  /** The object's Ready condition after the pass, or its Available, e.g. `Ready False KeyMissing`; absent where it has none. */
  readonly condition?: string;
  /** The object was being deleted and waited for something: `reason` and `message` name it. */
  readonly terminating?: true;
}

/** The table's item of one target. */
export interface TargetState {
  /** With the recorded address: passes read the target there. */
  readonly target: Target;
  /** Set while a pass runs (or died): both or neither. */
  readonly lease?: { readonly owner: string; readonly attempt: string; readonly untilMs: number };
  readonly epoch: number;
  readonly committedEpoch: number;
  readonly dirty: readonly DirtyMark[];
  /** The incarnation that the observed versions belong to; absent before the first commit. */
  readonly incarnation?: number;
  readonly observedVersion?: number;
  readonly observedGeneration?: number;
  readonly failures: number;
  readonly bucket?: Bucket;
  readonly values: DurableValues;
  readonly dueAtMs?: number;
  /** When dueAtMs was set, by the clock that set it; absent if the release that set it does not record this. */
  readonly dueSetAtMs?: number;
  /** A delayed wake was sent for the deadline when it was committed. */
  readonly wakeSent: boolean;
  /** The version of every object that the last committed pass read or listed; ABSENT_VERSION for absent ones. */
  readonly versions: Readonly<Record<ObjectKey, number>>;
  /** The edges that the last committed pass left. */
  readonly edges: readonly EdgeKey[];
  /**
   * Digests of writes to the cluster that would change nothing if they were sent again, in no order; absent if there are
   * none. An older release does not change them, which is safe: each stands for one exact state of one object.
   */
  readonly rememberedWrites?: readonly string[];
  readonly reconcilerVersion?: string;
  readonly lastOutcome?: LastOutcome;
  /**
   * The last passes, for people; absent before the first one, and where they have no room. An older release does not change
   * it: its own passes are missing there.
   */
  readonly pastPasses?: PackedHistory;
  /** Condition types that the passes published and the controller does not declare; absent for none. */
  readonly conditionOwners?: ConditionOwners;
  /**
   * Why the item cannot be read, in `readTargets` and `inventory`: only the target is known, and nothing else.
   * A read of one single target throws ItemError.
   */
  readonly unreadable?: string;
}

/** A pass's lease on its target: owner and epoch fence its conditional writes. */
export interface LeaseHold {
  readonly target: Target;
  readonly owner: string;
  readonly epoch: number;
}

export interface AcquireRequest {
  readonly target: Target;
  /**
   * The API server named the target's address: it is recorded. Otherwise it is recorded only in an item that this acquire
   * begins.
   */
  readonly ownAddress?: boolean;
  readonly owner: string;
  readonly attempt: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  /** The latest end of a lease: one that ends later was taken by a wrong clock, and has expired too. */
  readonly latestUntilMs: number;
  /**
   * The epoch of a lease that refused an acquire and was found expired. A lease from the future is taken over only by a
   * request that names its epoch: for a request that is late, every lease of now is in the future.
   */
  readonly expiredEpoch?: number;
  readonly cover?: Cover;
  /** The epoch of a forgotten target that refused an acquire. */
  readonly forgottenEpoch?: number;
}

export type AcquireResult =
  /** With the item as it is after that. */
  | { readonly type: 'acquired'; readonly state: TargetState }
  /** `found` is the item that refused it, or what a read right after that found where the table does not return that item. */
  | { readonly type: 'refused'; readonly found: FoundTarget };

/** What the table stores about a target. */
export type FoundTarget =
  | { readonly type: 'known'; readonly state: TargetState }
  /** It was forgotten: only its last epoch is stored, so that no epoch of it is ever used twice. */
  | { readonly type: 'forgotten'; readonly epoch: number }
  /** It never existed, or was forgotten long ago. */
  | { readonly type: 'unknown' };

export interface CommitRecord {
  readonly incarnation: number;
  /** Absent removes the recorded version: the next event is not already observed. */
  readonly observedVersion?: number;
  readonly observedGeneration?: number;
  readonly failures: number;
  readonly bucket: Bucket;
  readonly values: DurableValues;
  readonly dueAtMs?: number;
  /** With dueAtMs: when it was set. */
  readonly dueSetAtMs?: number;
  readonly wakeSent: boolean;
  readonly versions: Readonly<Record<ObjectKey, number>>;
  readonly edges: readonly EdgeKey[];
  /** Absent removes what was recorded. */
  readonly rememberedWrites?: readonly string[];
  readonly reconcilerVersion: string;
  readonly lastOutcome: LastOutcome;
  /** A table keeps as many of the newest as make no write dearer. */
  readonly pastPasses?: PackedHistory;
  readonly conditionOwners?: ConditionOwners;
}

/** A due deadline in the eventually consistent index. It is a hint: check it on the item. */
export type DueHint =
  | { readonly type: 'target'; readonly target: TargetKey; readonly dueAtMs: number }
  | { readonly type: 'poll'; readonly poll: PollKey; readonly dueAtMs: number };

export interface TargetStore {
  /** The number of partitions for a kind's inventory, its edges and the deadlines. Never changes for a table. */
  readonly shards: number;

  /**
   * Takes the lease if it is free or expired (it ended before nowMs, or it ends after latestUntilMs and its epoch is
   * `expiredEpoch`), and the event is not covered: sets owner, attempt and leaseUntil, adds 1 to the epoch (a new item's
   * starts from nowMs), clears dirty, may record the
   * target's address. A forgotten target begins again only for a caller that names the epoch with which it was forgotten: a
   * request that set out before that comes too late.
   */
  acquire(request: AcquireRequest): Promise<AcquireResult>;
  /** A forgotten target counts as absent, here and in all other reads. */
  readTarget(target: TargetKey): Promise<TargetState | undefined>;
  /** At most 100 keys; absent ones are left out. */
  readTargets(targets: readonly TargetKey[]): Promise<TargetState[]>;
  /**
   * Adds a mark to the dirty set and replaces dueAt, set at nowMs, while exactly that owner and epoch hold the lease.
   * @param address of the target, as the API server named it: it is recorded. Absent keeps the recorded one.
   * @returns whether it was accepted.
   */
  markHeld(hold: LeaseHold, mark: DirtyMark, dueAtMs: number, nowMs: number, address?: ObjectName): Promise<boolean>;
  /** Starts a new attempt under the same lease: clears dirty. Returns the item, or undefined when the lease is lost. */
  renewAttempt(hold: LeaseHold, attempt: string): Promise<TargetState | undefined>;
  /**
   * Records the pass and frees the lease, if owner and epoch hold and dirty is absent or exactly `dirtySeen`.
   * @returns whether it was accepted.
   */
  commit(hold: LeaseHold, record: CommitRecord, dirtySeen?: readonly DirtyMark[]): Promise<boolean>;
  /** As commit, whatever dirty holds (it is cleared): for a record whose dueAt makes the pass run again. */
  commitOverDirty(hold: LeaseHold, record: CommitRecord): Promise<boolean>;
  /**
   * Puts a pass off without running it: sets dueAt, committedEpoch, bucket, last outcome; clears dirty and the lease;
   * leaves observed versions, edges and failures.
   */
  defer(
    hold: LeaseHold,
    record: { dueAtMs: number; dueSetAtMs: number; wakeSent: boolean; bucket?: Bucket; lastOutcome: LastOutcome },
  ): Promise<boolean>;
  /** Empties the item except for its epoch, if owner and epoch hold and it is not dirty. The epoch is removed after keepUntilMs. */
  forget(hold: LeaseHold, keepUntilMs: number): Promise<boolean>;
  /** Replaces the controller's durable values while the lease holds. */
  saveValues(hold: LeaseHold, values: DurableValues): Promise<boolean>;
  /** Moves dueAt, set at nowMs, without a wake, if dueAt and epoch are still these. */
  pushDue(
    target: TargetKey,
    from: { dueAtMs: number; epoch: number },
    toDueAtMs: number,
    nowMs: number,
  ): Promise<boolean>;
  /** Deadlines of one shard at or before `untilMs`, earliest first; eventually consistent. */
  due(shard: number, untilMs: number, after?: string): Promise<Page<DueHint>>;
  /** The inventory of a kind, shard by shard, in no guaranteed order. */
  inventory(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<TargetState>>;
}
