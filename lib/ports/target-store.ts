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
  /**
   * Not reconciled: paused by annotation, outside the installation's scope, or cleaned up and kept by finalizers of
   * others.
   */
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
  /** Without text of the server and secrets, at most 512 code points. */
  readonly message: string;
  readonly atMs: number;
  readonly durationMs: number;
  readonly cause: string;
  /**
   * The object's Ready or Available condition after the pass, e.g. `Ready False KeyMissing`; absent when it has none.
   */
  readonly condition?: string;
  /** Whether the object was being deleted and waited for something, which `reason` and `message` name. */
  readonly terminating?: true;
}

/** The table's item of one target. */
export interface TargetState {
  /** With the recorded address, at which passes read the target. */
  readonly target: Target;
  /** Set while a pass runs (or after it died): both or neither. */
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
  /** Whether a delayed wake was sent for the timer when it was committed. */
  readonly wakeSent: boolean;
  /** The version of every object that the last committed pass read or listed; ABSENT_VERSION for absent ones. */
  readonly versions: Readonly<Record<ObjectKey, number>>;
  /** The edges of the last committed pass. */
  readonly edges: readonly EdgeKey[];
  /**
   * Digests of writes to the cluster that would change nothing if they were sent again, in no order; absent if there
   * are none. An older release does not change them, which is safe: each one belongs to one exact state of one object.
   */
  readonly rememberedWrites?: readonly string[];
  readonly reconcilerVersion?: string;
  readonly lastOutcome?: LastOutcome;
  /**
   * The last passes, for people; absent before the first one, and when they do not fit. An older release does not
   * change it: its own passes are missing in it.
   */
  readonly pastPasses?: PackedHistory;
  /** Condition types that the passes published and the controller does not declare; absent when there are none. */
  readonly conditionOwners?: ConditionOwners;
  /**
   * Why the item cannot be read, in `readTargets` and `inventory`. Then only the target is known. A read of a
   * single target throws ItemError instead.
   */
  readonly unreadable?: string;
}

/** A pass's lease on its target. Owner and epoch fence its conditional writes. */
export interface LeaseHold {
  readonly target: Target;
  readonly owner: string;
  readonly epoch: number;
}

export interface AcquireRequest {
  readonly target: Target;
  /**
   * Whether the API server named the target's address. If so, the address is recorded; otherwise it is recorded only in
   * an item that this acquire creates.
   */
  readonly ownAddress?: boolean;
  readonly owner: string;
  readonly attempt: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  /**
   * The latest possible end of a lease. A lease that ends later was taken by a wrong clock, and counts as expired too
   * (R-1.29).
   */
  readonly latestUntilMs: number;
  /**
   * The epoch of a lease that refused an acquire and was found expired. A lease from the future is taken over only by a
   * request that names its epoch, because for a delayed request every present lease is in the future.
   */
  readonly expiredEpoch?: number;
  readonly cover?: Cover;
  /** The epoch of a forgotten target that refused an acquire. */
  readonly forgottenEpoch?: number;
}

export type AcquireResult =
  /** With the item after that. */
  | { readonly type: 'acquired'; readonly state: TargetState }
  /**
   * `found` is the item that refused it. When the table does not return that item, it is the result of a read right
   * after that.
   */
  | { readonly type: 'refused'; readonly found: FoundTarget };

/** What the table stores about a target. */
export type FoundTarget =
  | { readonly type: 'known'; readonly state: TargetState }
  /** The target was forgotten: only its last epoch is stored, so that no epoch is ever used twice. */
  | { readonly type: 'forgotten'; readonly epoch: number }
  /** The target never existed, or was forgotten long ago. */
  | { readonly type: 'unknown' };

export interface CommitRecord {
  readonly incarnation: number;
  /** Absent removes the recorded version: the next event then does not count as already observed. */
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
  /** Absent removes the recorded ones. */
  readonly rememberedWrites?: readonly string[];
  readonly reconcilerVersion: string;
  readonly lastOutcome: LastOutcome;
  /** A table keeps as many of the newest as fit without making any write more expensive. */
  readonly pastPasses?: PackedHistory;
  readonly conditionOwners?: ConditionOwners;
}

/** A due timer in the eventually consistent index. It is a hint: check it in the item. */
export type DueHint =
  | { readonly type: 'target'; readonly target: TargetKey; readonly dueAtMs: number }
  | { readonly type: 'poll'; readonly poll: PollKey; readonly dueAtMs: number };

export interface TargetStore {
  /** The number of partitions for a kind's inventory, its edges and the timers. Never changes for a table. */
  readonly shards: number;

  /**
   * Takes the lease if it is free or expired, and the event is not covered. A lease has expired if it ended before
   * nowMs, or if it ends after latestUntilMs and its epoch is `expiredEpoch`. Taking it sets owner, attempt and
   * leaseUntil, adds 1 to the epoch (the epoch of a new item starts from nowMs), clears dirty, and may record the
   * target's address. A forgotten target starts again only for a caller that names the epoch with which it was
   * forgotten: a request that was sent before that is too late.
   */
  acquire(request: AcquireRequest): Promise<AcquireResult>;
  /** A forgotten target counts as absent, here and in all other reads. */
  readTarget(target: TargetKey): Promise<TargetState | undefined>;
  /** At most 100 keys; absent targets are left out. */
  readTargets(targets: readonly TargetKey[]): Promise<TargetState[]>;
  /**
   * Adds a mark to the dirty set and replaces dueAt, set at nowMs, while exactly that owner and epoch hold the lease.
   * @param address the address of the target that the API server named; it is recorded. Absent keeps the recorded one
   * (R-1.28).
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
  /** As commit, with any content of dirty (it is cleared): for a record whose dueAt makes the pass run again. */
  commitOverDirty(hold: LeaseHold, record: CommitRecord): Promise<boolean>;
  /**
   * Puts off a pass without running it: sets dueAt, committedEpoch, bucket and last outcome; clears dirty and the
   * lease; does not change observed versions, edges and failures.
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
  /** Timers of one shard at or before `untilMs`, earliest first; eventually consistent. */
  due(shard: number, untilMs: number, after?: string): Promise<Page<DueHint>>;
  /** The inventory of a kind, shard by shard, in no guaranteed order. */
  inventory(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<TargetState>>;
}
