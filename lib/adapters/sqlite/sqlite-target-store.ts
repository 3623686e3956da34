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
import { dueShard, parseDueKey, targetKey, targetPartition } from '../state-keys.ts';
import type { DueItem, ItemTable, StoredItem } from './item-table.ts';
import { RecentTargets } from './recent-targets.ts';
import { acquire, commit, defer, isHeld, isSeen, mark, renew } from './target-changes.ts';
import { forgottenBody, type KnownTarget, readListedItem, readTargetItem, targetBody } from './target-document.ts';

interface Found {
  readonly item: StoredItem | undefined;
  readonly known: KnownTarget | undefined;
}

/** Returns the new state after a write of the holder; undefined refuses the write. */
type Change = (state: TargetState) => TargetState | undefined;

export class SqliteTargetStore implements TargetStore {
  readonly shards: number;
  readonly #items: ItemTable;
  readonly #recent = new RecentTargets();

  constructor(items: ItemTable, shards: number) {
    this.#items = items;
    this.shards = shards;
  }

  acquire(request: AcquireRequest): Promise<AcquireResult> {
    return this.#items.connection.write(() => {
      const found = this.#find(request.target);
      const before = found.known?.type === 'known' ? found.known.state : undefined;
      const forgottenEpoch = found.known?.type === 'forgotten' ? found.known.epoch : undefined;
      const state = this.#put(found, acquire(before, forgottenEpoch, request));
      return state === undefined ? { type: 'refused', found: foundTarget(found) } : { type: 'acquired', state };
    });
  }

  readTarget(target: TargetKey): Promise<TargetState | undefined> {
    return this.#read('GetItem', () => stateOf(this.#find(target)));
  }

  async readTargets(targets: readonly TargetKey[]): Promise<TargetState[]> {
    if (targets.length === 0) return [];
    if (targets.length > 100) throw new InfrastructureError('a batch of more than 100 targets was read: split it');
    const distinct = new Map(targets.map((target) => [JSON.stringify(this.#keyOf(target)), target]));
    return await this.#read('BatchGetItem', () =>
      [...distinct.values()].flatMap((target) => {
        const key = this.#keyOf(target);
        const item = this.#items.find(key);
        const recent = item === undefined ? undefined : this.#recent.find(key, item.body);
        if (recent !== undefined) return recent.type === 'known' ? recent.state : [];
        return (item === undefined ? undefined : readListedItem(target, item)) ?? [];
      }),
    );
  }

  async markHeld(
    hold: LeaseHold,
    dirtyMark: DirtyMark,
    dueAtMs: number,
    nowMs: number,
    address?: ObjectName,
  ): Promise<boolean> {
    return await this.#change(hold, (state) => mark(state, dirtyMark, { dueAtMs, dueSetAtMs: nowMs }, address));
  }

  renewAttempt(hold: LeaseHold, attempt: string): Promise<TargetState | undefined> {
    return this.#items.connection.write(() => this.#write(hold, (state) => renew(state, attempt)));
  }

  commit(hold: LeaseHold, record: CommitRecord, dirtySeen: readonly DirtyMark[] = []): Promise<boolean> {
    return this.#record(hold, record, (state) => (isSeen(state, dirtySeen) ? commit(state, record) : undefined));
  }

  commitOverDirty(hold: LeaseHold, record: CommitRecord): Promise<boolean> {
    return this.#record(hold, record, (state) => commit(state, record));
  }

  defer(hold: LeaseHold, record: Parameters<TargetStore['defer']>[1]): Promise<boolean> {
    return this.#change(hold, (state) => defer(state, record));
  }

  forget(hold: LeaseHold, keepUntilMs: number): Promise<boolean> {
    return this.#items.connection.write(() => {
      const found = this.#find(hold.target);
      const state = stateOf(found);
      if (!isHeld(state, hold) || state.dirty.length > 0) return this.#refuse() ?? false;
      const forgotten = { body: forgottenBody(state.epoch), expiresAtMs: Math.ceil(keepUntilMs) };
      this.#items.put(this.#keyOf(hold.target), found.item, forgotten);
      this.#items.onRequest('dynamodb', 'UpdateItem', { deadline: state.dueAtMs !== undefined });
      return true;
    });
  }

  /** The write is on the disk before this resolves, because an effect in the cluster depends on these values. */
  saveValues(hold: LeaseHold, values: DurableValues): Promise<boolean> {
    return this.#change(hold, (state) => ({ ...state, values: { ...values } }), true);
  }

  pushDue(
    target: TargetKey,
    from: { dueAtMs: number; epoch: number },
    toDueAtMs: number,
    nowMs: number,
  ): Promise<boolean> {
    return this.#items.connection.write(() => {
      const found = this.#find(target);
      const state = stateOf(found);
      if (state === undefined || state.dueAtMs !== from.dueAtMs || state.epoch !== from.epoch) {
        return this.#refuse() ?? false;
      }
      this.#put(found, { ...state, dueAtMs: toDueAtMs, dueSetAtMs: nowMs, wakeSent: false });
      return true;
    });
  }

  due(shard: number, untilMs: number, after?: string): Promise<Page<DueHint>> {
    return this.#read('Query', () => {
      const from = after === undefined ? undefined : (JSON.parse(after) as DueItem);
      const { items, last } = this.#items.due(shard, untilMs, from);
      const hints = items.flatMap((item) => parseDueKey(item, item.due_at) ?? []);
      return last === undefined ? { items: hints } : { items: hints, next: JSON.stringify(last) };
    });
  }

  inventory(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<TargetState>> {
    return this.#read('Query', () => {
      const { items, ...rest } = this.#items.page(targetPartition(cluster, kind, shard), { after });
      const states = items.flatMap((item) => readListedItem({ cluster, kind, uid: item.sk }, item) ?? []);
      return { items: states, ...rest };
    });
  }

  /**
   * If it changes the durable values, the write is on the disk before the promise resolves, because an effect of the
   * next pass may depend on them. Only the holder changes these values, so they can be compared before the transaction.
   */
  #record(hold: LeaseHold, record: CommitRecord, change: Change): Promise<boolean> {
    const changesValues = () => {
      const state = stateOf(this.#find(hold.target));
      return state !== undefined && JSON.stringify(state.values) !== JSON.stringify(record.values);
    };
    return this.#change(hold, change, changesValues);
  }

  async #change(hold: LeaseHold, change: Change, durable: boolean | (() => boolean) = false): Promise<boolean> {
    const after = await this.#items.connection.write(() => this.#write(hold, change), { durable });
    return after !== undefined;
  }

  #write(hold: LeaseHold, change: Change): TargetState | undefined {
    const found = this.#find(hold.target);
    const state = stateOf(found);
    return this.#put(found, isHeld(state, hold) ? change(state) : undefined);
  }

  #find(target: TargetKey): Found {
    const key = this.#keyOf(target);
    const item = this.#items.find(key);
    if (item === undefined) return { item, known: undefined };
    const recent = this.#recent.find(key, item.body);
    if (recent !== undefined) return { item, known: recent };
    const known = readTargetItem(target, item);
    this.#recent.keep(key, item.body, known);
    return { item, known };
  }

  #put(found: Found, after: TargetState | undefined): TargetState | undefined {
    if (after === undefined) return this.#refuse();
    const key = this.#keyOf(after.target);
    const due = after.dueAtMs === undefined ? undefined : { shard: dueShard(key, this.shards), atMs: after.dueAtMs };
    const unknownFields = found.known?.type === 'known' ? found.known.unknownFields : {};
    const body = this.#items.put(key, found.item, { body: targetBody(after, unknownFields), due });
    this.#recent.keep(key, body, { type: 'known', state: after, unknownFields });
    this.#items.onRequest('dynamodb', 'UpdateItem', { deadline: stateOf(found)?.dueAtMs !== after.dueAtMs });
    return after;
  }

  #refuse(): undefined {
    this.#items.onRequest('dynamodb', 'UpdateItem', { refused: true });
    return undefined;
  }

  #read<Answer>(operation: string, work: () => Answer): Promise<Answer> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', operation, {});
      return work();
    });
  }

  #keyOf(target: TargetKey) {
    return targetKey(target, this.shards);
  }
}

function foundTarget({ known }: Found): FoundTarget {
  if (known === undefined) return { type: 'unknown' };
  return known.type === 'known' ? { type: 'known', state: known.state } : known;
}

function stateOf({ known }: Found): TargetState | undefined {
  return known?.type === 'known' ? known.state : undefined;
}
