import { isCovered } from '../../core/cover.ts';
import { InfrastructureError } from '../../core/errors.ts';
import type { ObjectName } from '../../core/kube-object.ts';
import type { DirtyMark } from '../../core/observation.ts';
import type { DurableValues } from '../../core/reconcile-context.ts';
import type { KindId } from '../../core/resource-type.ts';
import type { TargetKey } from '../../core/target.ts';
import type {
  AcquireRequest,
  AcquireResult,
  CommitRecord,
  DueHint,
  FoundTarget,
  LeaseHold,
  Page,
  TargetState,
  TargetStore,
} from '../../ports/state-store.ts';
import type { OnRequest } from '../request-observer.ts';
import { targetKey, targetPartition } from '../state-keys.ts';
import type { DueIndex } from './due-index.ts';
import { checkItemSize } from './item-size.ts';
import { Partitions } from './partitions.ts';

export interface MemoryTableOptions {
  readonly shards: number;
  readonly pageSize: number;
  readonly index: DueIndex;
  readonly onRequest: OnRequest;
}

interface Forgotten {
  readonly epoch: number;
  readonly keepUntilMs: number;
}

/** Each method finishes before it returns its promise, so it is atomic. States are replaced, never changed. */
export class MemoryTargetStore implements TargetStore {
  readonly shards: number;
  readonly #table: MemoryTableOptions;
  readonly #items = new Partitions<TargetState>();
  readonly #forgotten = new Map<string, Forgotten>();

  constructor(table: MemoryTableOptions) {
    this.shards = table.shards;
    this.#table = table;
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const before = this.#get(request.target);
    if (before !== undefined && (leaseRuns(before, request) || isCovered(request.cover, before))) {
      return this.#refuseAcquire({ type: 'known', state: before });
    }
    const id = this.#idOf(request.target);
    const forgotten = this.#forgottenAs(id, request.nowMs);
    if (forgotten !== undefined && forgotten !== request.forgottenEpoch)
      return this.#refuseAcquire({ type: 'forgotten', epoch: forgotten });
    this.#forgotten.delete(id);
    const firstEpoch = forgotten ?? request.nowMs;
    const state = this.#put(before, {
      ...(before ?? EMPTY_STATE),
      target: before === undefined || request.ownAddress === true ? { ...request.target } : before.target,
      lease: { owner: request.owner, attempt: request.attempt, untilMs: request.leaseUntilMs },
      epoch: (before?.epoch ?? firstEpoch) + 1,
      committedEpoch: before?.committedEpoch ?? firstEpoch,
      dirty: [],
    });
    return { type: 'acquired', state };
  }

  async readTarget(target: TargetKey): Promise<TargetState | undefined> {
    this.#table.onRequest('dynamodb', 'GetItem', {});
    return this.#get(target);
  }

  async readTargets(targets: readonly TargetKey[]): Promise<TargetState[]> {
    if (targets.length === 0) return [];
    if (targets.length > 100) throw new InfrastructureError('a batch of more than 100 targets was read: split it');
    this.#table.onRequest('dynamodb', 'BatchGetItem', {});
    const distinct = new Map(targets.map((target) => [this.#idOf(target), target]));
    return [...distinct.values()].flatMap((target) => this.#get(target) ?? []);
  }

  async markHeld(
    hold: LeaseHold,
    mark: DirtyMark,
    dueAtMs: number,
    nowMs: number,
    address?: ObjectName,
  ): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined) return this.#refuse('UpdateItem') ?? false;
    const dirty = state.dirty.includes(mark) ? state.dirty : [...state.dirty, mark];
    const target = address === undefined ? state.target : { ...state.target, ...nameOf(address) };
    this.#put(state, { ...state, target, dirty, dueAtMs, dueSetAtMs: nowMs });
    return true;
  }

  async renewAttempt(hold: LeaseHold, attempt: string): Promise<TargetState | undefined> {
    const state = this.#held(hold);
    if (state?.lease === undefined) return this.#refuse('UpdateItem');
    return this.#put(state, { ...state, lease: { ...state.lease, attempt }, dirty: [] });
  }

  async commit(hold: LeaseHold, record: CommitRecord, dirtySeen?: readonly DirtyMark[]): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined || !(state.dirty.length === 0 || isSameSet(state.dirty, dirtySeen ?? []))) {
      return this.#refuse('UpdateItem') ?? false;
    }
    return this.#record(state, record);
  }

  async commitOverDirty(hold: LeaseHold, record: CommitRecord): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined) return this.#refuse('UpdateItem') ?? false;
    return this.#record(state, record);
  }

  async defer(hold: LeaseHold, record: Parameters<TargetStore['defer']>[1]): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined) return this.#refuse('UpdateItem') ?? false;
    const { lease: _lease, ...rest } = state;
    this.#put(state, { ...rest, ...record, committedEpoch: hold.epoch, dirty: [] });
    return true;
  }

  async forget(hold: LeaseHold, keepUntilMs: number): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined || state.dirty.length > 0) return this.#refuse('UpdateItem') ?? false;
    const key = targetKey(hold.target, this.shards);
    this.#table.onRequest('dynamodb', 'UpdateItem', { deadline: state.dueAtMs !== undefined });
    this.#items.delete(key);
    this.#forgotten.set(this.#idOf(hold.target), { epoch: state.epoch, keepUntilMs });
    this.#table.index.put(key, undefined);
    return true;
  }

  async saveValues(hold: LeaseHold, values: DurableValues): Promise<boolean> {
    const state = this.#held(hold);
    if (state === undefined) return this.#refuse('UpdateItem') ?? false;
    this.#put(state, { ...state, values: { ...values } });
    return true;
  }

  async pushDue(
    target: TargetKey,
    from: { dueAtMs: number; epoch: number },
    toDueAtMs: number,
    nowMs: number,
  ): Promise<boolean> {
    const state = this.#get(target);
    if (state === undefined || state.dueAtMs !== from.dueAtMs || state.epoch !== from.epoch) {
      return this.#refuse('UpdateItem') ?? false;
    }
    this.#put(state, { ...state, dueAtMs: toDueAtMs, dueSetAtMs: nowMs, wakeSent: false });
    return true;
  }

  async due(shard: number, untilMs: number, after?: string): Promise<Page<DueHint>> {
    this.#table.onRequest('dynamodb', 'Query', {});
    return this.#table.index.query(shard, untilMs, after);
  }

  async inventory(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<TargetState>> {
    this.#table.onRequest('dynamodb', 'Query', {});
    const query = { ...(after !== undefined && { after }), limit: this.#table.pageSize };
    return this.#items.page(targetPartition(cluster, kind, shard), query);
  }

  /** All states, for checks of invariants. */
  all(): Iterable<TargetState> {
    return this.#items.all();
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    const putBack = this.#items.backUp();
    const forgotten = [...this.#forgotten];
    return () => {
      putBack();
      this.#forgotten.clear();
      for (const [id, epoch] of forgotten) this.#forgotten.set(id, epoch);
    };
  }

  #get(target: TargetKey): TargetState | undefined {
    return this.#items.get(targetKey(target, this.shards));
  }

  #idOf(target: TargetKey): string {
    return JSON.stringify(targetKey(target, this.shards));
  }

  #forgottenAs(id: string, nowMs: number): number | undefined {
    const forgotten = this.#forgotten.get(id);
    if (forgotten === undefined || forgotten.keepUntilMs >= nowMs) return forgotten?.epoch;
    this.#forgotten.delete(id);
    return undefined;
  }

  #held(hold: LeaseHold): TargetState | undefined {
    const state = this.#get(hold.target);
    return state?.lease?.owner === hold.owner && state.epoch === hold.epoch ? state : undefined;
  }

  #record(state: TargetState, record: CommitRecord): true {
    const { target, epoch } = state;
    this.#put(state, {
      target,
      epoch,
      committedEpoch: epoch,
      dirty: [],
      ...record,
      values: { ...record.values },
      versions: { ...record.versions },
      edges: [...new Set(record.edges)],
    });
    return true;
  }

  #put(before: TargetState | undefined, after: TargetState): TargetState {
    checkItemSize(after);
    const key = targetKey(after.target, this.shards);
    const deadline = before?.dueAtMs !== after.dueAtMs;
    this.#table.onRequest('dynamodb', 'UpdateItem', { deadline });
    for (const part of [after, after.versions, after.edges, after.dirty, after.values]) Object.freeze(part);
    this.#items.set(key, after);
    if (deadline) this.#table.index.put(key, after.dueAtMs);
    return after;
  }

  #refuseAcquire(found: FoundTarget): AcquireResult {
    this.#refuse('UpdateItem');
    return { type: 'refused', found };
  }

  #refuse(operation: string): undefined {
    this.#table.onRequest('dynamodb', operation, { refused: true });
    return undefined;
  }
}

const EMPTY_STATE = { failures: 0, values: {}, wakeSent: false, versions: {}, edges: [] };

function leaseRuns({ lease, epoch }: TargetState, { nowMs, latestUntilMs, expiredEpoch }: AcquireRequest): boolean {
  if (lease === undefined || lease.untilMs < nowMs) return false;
  return lease.untilMs <= latestUntilMs || epoch !== expiredEpoch;
}

function nameOf({ namespace, name }: ObjectName): ObjectName {
  return { namespace, name };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return new Set(b).size === a.length && a.every((element) => b.includes(element));
}
