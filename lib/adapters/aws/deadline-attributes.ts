import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item, number, readNumber } from './attribute-values.ts';

/** Sets a deadline: with it the shard of the index it lies in, when it was set, and how far ahead. */
export const SET_DEADLINE = 'dueAt = :dueAt, dueShard = :dueShard, dueSetAt = :dueSetAt, dueLength = :dueLength';

/** The values of SET_DEADLINE. */
export function deadlineValues(dueAtMs: number, setAtMs: number, shard: number): Record<string, AttributeValue> {
  return {
    ':dueAt': number(dueAtMs),
    ':dueShard': number(shard),
    ':dueSetAt': number(setAtMs),
    ':dueLength': number(dueAtMs - setAtMs),
  };
}

/** A release that does not record when it set a deadline leaves the record of the one before: it does not add up then. */
export function readDeadline(item: Item): { dueAtMs?: number; dueSetAtMs?: number } {
  const dueAtMs = readNumber(item, 'dueAt');
  if (dueAtMs === undefined) return {};
  const dueSetAtMs = readNumber(item, 'dueSetAt');
  const lengthMs = readNumber(item, 'dueLength');
  const isRecorded = dueSetAtMs !== undefined && lengthMs !== undefined && dueSetAtMs + lengthMs === dueAtMs;
  return isRecorded ? { dueAtMs, dueSetAtMs } : { dueAtMs };
}
