import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { STATE_FORMAT } from '../../core/installation.ts';
import { cutHistory } from '../../core/pass-history.ts';
import type { CommitRecord, LeaseHold } from '../../ports/state-store.ts';
import { joinObjectName } from '../state-keys.ts';
import { boolean, type Item, json, number, text } from './attribute-values.ts';
import { EXPIRES_AT } from './dynamodb-table.ts';
import { freeBytes, itemBytes } from './item-size.ts';
import { writeVersions } from './target-item.ts';

const COMMIT =
  'SET committedEpoch = :epoch, incarnation = :incarnation, failures = :failures, tokens = :tokens, ' +
  'tokensAt = :tokensAt, durableValues = :durableValues, wakeSent = :wakeSent, ' +
  'reconcilerVersion = :reconcilerVersion, lastOutcome = :lastOutcome';

/** The end of every update that frees the lease. */
export const END_LEASE = ` REMOVE leaseOwner, leaseAttempt, leaseUntil, dirty, ${EXPIRES_AT}`;

/** The length of each attempt id that this package creates. */
const ATTEMPT_LENGTH = 36;

/** The update that records a pass and frees its lease. @param dueShard the shard of the target, for its timer. */
export function commitWrite(
  { target, owner, epoch }: LeaseHold,
  record: CommitRecord,
  dueShard: number,
  key: Item,
): { update: string; values: Record<string, AttributeValue> } {
  const always: Item = {
    incarnation: number(record.incarnation),
    failures: number(record.failures),
    tokens: number(record.bucket.tokens),
    tokensAt: number(record.bucket.atMs),
    durableValues: json(record.values),
    wakeSent: boolean(record.wakeSent),
    reconcilerVersion: text(record.reconcilerVersion),
    lastOutcome: json(record.lastOutcome),
  };
  const optional: Record<string, AttributeValue | undefined> = {
    observedVersion: record.observedVersion === undefined ? undefined : number(record.observedVersion),
    observedGeneration: record.observedGeneration === undefined ? undefined : number(record.observedGeneration),
    dueAt: record.dueAtMs === undefined ? undefined : number(record.dueAtMs),
    dueShard: record.dueAtMs === undefined ? undefined : number(dueShard),
    ...dueSetOf(record),
    edgeKeys: setOf(record.edges),
    rememberedWrites: setOf(record.rememberedWrites ?? []),
    conditionOwners: record.conditionOwners === undefined ? undefined : json(record.conditionOwners),
    longKeys: undefined,
    ...writeVersions(record.versions),
  };
  const values: Record<string, AttributeValue> = {};
  for (const name in always) values[`:${name}`] = always[name] as AttributeValue;
  const item: Item = { ...key, ...always, ...heldApart(target, epoch) };
  let set = COMMIT;
  let remove = END_LEASE;
  const put = (name: string, value: AttributeValue | undefined) => {
    if (value === undefined) {
      remove += `, ${name}`;
      return;
    }
    item[name] = value;
    values[`:${name}`] = value;
    set += `, ${name} = :${name}`;
  };
  for (const name in optional) put(name, optional[name]);
  put('pastPasses', historyIn(item, record, owner));
  return { update: set + remove, values };
}

/** The attributes that a commit leaves unchanged. They count for the size of the item. */
function heldApart(target: LeaseHold['target'], epoch: number): Item {
  return {
    format: number(STATE_FORMAT),
    objectName: text(joinObjectName(target)),
    epoch: number(epoch),
    committedEpoch: number(epoch),
  };
}

/**
 * Cuts the history of passes so that it adds no write unit: not to this commit, and not while the next pass has the
 * lease.
 */
function historyIn(item: Item, { pastPasses = '' }: CommitRecord, owner: string): AttributeValue | undefined {
  const size = itemBytes(item);
  const lease = { leaseOwner: text(owner), leaseAttempt: text('-'.repeat(ATTEMPT_LENGTH)), leaseUntil: item.epoch };
  const whileHeld = size + itemBytes(lease as Item);
  const history = cutHistory(pastPasses, freeBytes([size, whileHeld]) - 'pastPasses'.length);
  return history === undefined ? undefined : text(history);
}

function dueSetOf({ dueAtMs, dueSetAtMs }: CommitRecord): Record<string, AttributeValue | undefined> {
  if (dueAtMs === undefined || dueSetAtMs === undefined) return { dueSetAt: undefined, dueLength: undefined };
  return { dueSetAt: number(dueSetAtMs), dueLength: number(dueAtMs - dueSetAtMs) };
}

/** A set attribute cannot be empty. */
function setOf(texts: readonly string[]): AttributeValue | undefined {
  return texts.length === 0 ? undefined : { SS: [...new Set(texts)] };
}
