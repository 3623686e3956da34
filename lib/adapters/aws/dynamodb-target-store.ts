import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InfrastructureError } from '../../core/errors.ts';
import { STATE_FORMAT } from '../../core/installation.ts';
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
  LeaseHold,
  Page,
  TargetState,
  TargetStore,
} from '../../ports/state-store.ts';
import { dueShard, joinObjectName, parseDueKey, targetKey, targetPartition } from '../state-keys.ts';
import { boolean, type Item, json, number, readNumber, text } from './attribute-values.ts';
import { commitWrite, END_LEASE } from './commit-write.ts';
import { deadlineValues, SET_DEADLINE } from './deadline-attributes.ts';
import { DUE_INDEX, type DynamoDbTable, EXPIRES_AT, tableKey, wireKey } from './dynamodb-table.ts';
import {
  DIRTY_AS_SEEN,
  DUE_UNMOVED,
  FORGOTTEN_AS_READ,
  FORMAT_KNOWN,
  LEASE_ENDED,
  LEASE_HELD,
  NOT_DIRTY,
  NOT_FORGOTTEN,
  notCovered,
} from './target-conditions.ts';
import { isForgotten, PASSING_ATTRIBUTES, readFoundTarget, readListedItem, readTargetItem } from './target-item.ts';

const ACQUIRE =
  'SET leaseOwner = :owner, leaseAttempt = :attempt, leaseUntil = :leaseUntil, ' +
  '#format = :format, epoch = if_not_exists(epoch, :now) + :one, ' +
  'committedEpoch = if_not_exists(committedEpoch, :now)';

const BEGIN_LEASE = ` REMOVE dirty, ${EXPIRES_AT}`;

/** Sets the address that the API server returned. */
const OWN_ADDRESS = ', objectName = :objectName';
/** Sets an address that may be wrong, so only in an item that has none yet. */
const FIRST_ADDRESS = ', objectName = if_not_exists(objectName, :objectName)';

/** Removes everything except the format and the epochs. The table removes the rest when it expires. */
const FORGET = `SET ${EXPIRES_AT} = :expiresAt, committedEpoch = :epoch REMOVE ${PASSING_ATTRIBUTES.join(', ')}`;

const FORMAT_NAME = { '#format': 'format' };

export class DynamoDbTargetStore implements TargetStore {
  readonly shards: number;
  readonly #table: DynamoDbTable;

  constructor(table: DynamoDbTable, shards: number) {
    this.#table = table;
    this.shards = shards;
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const cover = request.cover === undefined ? undefined : notCovered(request.cover, request.target);
    const { forgottenEpoch } = request;
    const conditions = [
      LEASE_ENDED,
      FORMAT_KNOWN,
      forgottenEpoch === undefined ? NOT_FORGOTTEN : FORGOTTEN_AS_READ,
      ...(cover === undefined ? [] : [cover.condition]),
    ];
    const key = targetKey(request.target, this.shards);
    const result = await this.#table.update({
      key,
      update: ACQUIRE + (request.ownAddress === true ? OWN_ADDRESS : FIRST_ADDRESS) + BEGIN_LEASE,
      condition: conditions.join(' AND '),
      values: {
        ':owner': text(request.owner),
        ':attempt': text(request.attempt),
        ':leaseUntil': number(request.leaseUntilMs),
        ':objectName': text(joinObjectName(request.target)),
        ':format': number(STATE_FORMAT),
        ':now': number(request.nowMs),
        ':latestUntil': number(request.latestUntilMs),
        // No item has the epoch -1.
        ':expiredEpoch': number(request.expiredEpoch ?? -1),
        ':one': number(1),
        ...(forgottenEpoch !== undefined && { ':forgottenEpoch': number(forgottenEpoch) }),
        ...cover?.values,
      },
      names: { ...FORMAT_NAME, ...cover?.names },
      returns: 'ALL_NEW',
      returnsRefusing: true,
    });
    if (result.accepted) return { type: 'acquired', state: readTargetItem(result.item) };
    // An emulator may not return the item.
    return { type: 'refused', found: readFoundTarget(result.refusedBy ?? (await this.#table.get(key))) };
  }

  async readTarget(target: TargetKey): Promise<TargetState | undefined> {
    const item = await this.#table.get(targetKey(target, this.shards));
    return item === undefined || isForgotten(item) ? undefined : readTargetItem(item);
  }

  async readTargets(targets: readonly TargetKey[]): Promise<TargetState[]> {
    if (targets.length > 100) throw new InfrastructureError('a batch of more than 100 targets was read: split it');
    const items = await this.#table.getAll(targets.map((target) => targetKey(target, this.shards)));
    return items.filter((item) => !isForgotten(item)).map(readListedItem);
  }

  async markHeld(
    hold: LeaseHold,
    mark: DirtyMark,
    dueAtMs: number,
    nowMs: number,
    address?: ObjectName,
  ): Promise<boolean> {
    const values = {
      ...this.#deadline(hold.target, dueAtMs, nowMs),
      ':mark': { SS: [mark] },
      ...(address !== undefined && { ':objectName': text(joinObjectName(address)) }),
    };
    const update = `SET ${SET_DEADLINE}${address === undefined ? '' : OWN_ADDRESS} ADD dirty :mark`;
    return (await this.#updateHeld(hold, { update, values, deadline: true })).accepted;
  }

  async renewAttempt(hold: LeaseHold, attempt: string): Promise<TargetState | undefined> {
    const update = 'SET leaseAttempt = :attempt REMOVE dirty';
    const values = { ':attempt': text(attempt) };
    const result = await this.#updateHeld(hold, { update, values, returns: 'ALL_NEW' });
    return result.accepted ? readTargetItem(result.item) : undefined;
  }

  commit(hold: LeaseHold, record: CommitRecord, dirtySeen: readonly DirtyMark[] = []): Promise<boolean> {
    if (dirtySeen.length === 0) return this.#record(hold, record, NOT_DIRTY, {});
    return this.#record(hold, record, DIRTY_AS_SEEN, { ':dirtySeen': { SS: [...new Set(dirtySeen)] } });
  }

  commitOverDirty(hold: LeaseHold, record: CommitRecord): Promise<boolean> {
    return this.#record(hold, record, undefined, {});
  }

  async defer(hold: LeaseHold, record: Parameters<TargetStore['defer']>[1]): Promise<boolean> {
    const { bucket } = record;
    const update =
      `SET ${SET_DEADLINE}, wakeSent = :wakeSent, committedEpoch = :epoch, ` +
      `lastOutcome = :lastOutcome${bucket === undefined ? '' : ', tokens = :tokens, tokensAt = :tokensAt'}${END_LEASE}`;
    const values = {
      ...this.#deadline(hold.target, record.dueAtMs, record.dueSetAtMs),
      ':wakeSent': boolean(record.wakeSent),
      ':lastOutcome': json(record.lastOutcome),
      ...(bucket !== undefined && { ':tokens': number(bucket.tokens), ':tokensAt': number(bucket.atMs) }),
    };
    return (await this.#updateHeld(hold, { update, values, deadline: true })).accepted;
  }

  async forget(hold: LeaseHold, keepUntilMs: number): Promise<boolean> {
    const values = { ':expiresAt': number(Math.ceil(keepUntilMs / 1000)) };
    return (await this.#updateHeld(hold, { update: FORGET, values, deadline: true }, NOT_DIRTY)).accepted;
  }

  async saveValues(hold: LeaseHold, values: DurableValues): Promise<boolean> {
    const update = 'SET durableValues = :durableValues';
    return (await this.#updateHeld(hold, { update, values: { ':durableValues': json(values) } })).accepted;
  }

  async pushDue(
    target: TargetKey,
    from: { dueAtMs: number; epoch: number },
    toDueAtMs: number,
    nowMs: number,
  ): Promise<boolean> {
    const result = await this.#table.update({
      key: targetKey(target, this.shards),
      update: `SET ${SET_DEADLINE} REMOVE wakeSent`,
      condition: DUE_UNMOVED,
      values: {
        ...this.#deadline(target, toDueAtMs, nowMs),
        ':fromDueAt': number(from.dueAtMs),
        ':epoch': number(from.epoch),
      },
      deadline: true,
    });
    return result.accepted;
  }

  async due(shard: number, untilMs: number, after?: string): Promise<Page<DueHint>> {
    const { items, last } = await this.#table.query({
      IndexName: DUE_INDEX,
      KeyConditionExpression: 'dueShard = :shard AND dueAt <= :until',
      ExpressionAttributeValues: { ':shard': number(shard), ':until': number(untilMs) },
      ExclusiveStartKey: after === undefined ? undefined : (JSON.parse(after) as Item),
    });
    const hints = items.flatMap((item) => parseDueKey(tableKey(item), readNumber(item, 'dueAt') ?? 0) ?? []);
    return last === undefined ? { items: hints } : { items: hints, next: JSON.stringify(last) };
  }

  async inventory(cluster: string, kind: KindId, shard: number, after?: string): Promise<Page<TargetState>> {
    const pk = targetPartition(cluster, kind, shard);
    const { items, last } = await this.#table.query({
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': text(pk) },
      ExclusiveStartKey: after === undefined ? undefined : wireKey({ pk, sk: after }),
      ConsistentRead: true,
    });
    const states = items.filter((item) => !isForgotten(item)).map(readListedItem);
    return last === undefined ? { items: states } : { items: states, next: tableKey(last).sk };
  }

  async #record(
    hold: LeaseHold,
    record: CommitRecord,
    dirtyCondition: string | undefined,
    dirtyValues: Record<string, AttributeValue>,
  ): Promise<boolean> {
    const key = targetKey(hold.target, this.shards);
    const write = commitWrite(hold, record, this.#dueShard(hold.target), wireKey(key));
    const { update } = write;
    const values = { ...write.values, ...dirtyValues };
    return (await this.#updateHeld(hold, { update, values, deadline: true }, dirtyCondition)).accepted;
  }

  #updateHeld(
    hold: LeaseHold,
    write: { update: string; values: Record<string, AttributeValue>; returns?: 'ALL_NEW'; deadline?: boolean },
    besides?: string,
  ) {
    return this.#table.update({
      ...write,
      key: targetKey(hold.target, this.shards),
      condition: besides === undefined ? LEASE_HELD : `${LEASE_HELD} AND ${besides}`,
      values: { ...holdValues(hold), ...write.values },
    });
  }

  #deadline(target: TargetKey, dueAtMs: number, setAtMs: number): Record<string, AttributeValue> {
    return deadlineValues(dueAtMs, setAtMs, this.#dueShard(target));
  }

  #dueShard(target: TargetKey): number {
    return dueShard(targetKey(target, this.shards), this.shards);
  }
}

function holdValues(hold: LeaseHold): Record<string, AttributeValue> {
  return { ':owner': text(hold.owner), ':epoch': number(hold.epoch) };
}
