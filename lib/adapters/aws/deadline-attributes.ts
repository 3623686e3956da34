import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item, number, readNumber } from './attribute-values.ts';

/** Sets a timer: its due time, its shard of the index, when it was set, and how far ahead. */
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

/**
 * A release that does not know dueSetAt changes dueAt alone. Then dueSetAt and dueLength do not add up to dueAt, and
 * are ignored.
 */
export function readDeadline(item: Item): { dueAtMs?: number; dueSetAtMs?: number } {
  const dueAtMs = readNumber(item, 'dueAt');
  if (dueAtMs === undefined) return {};
  const dueSetAtMs = readNumber(item, 'dueSetAt');
  const lengthMs = readNumber(item, 'dueLength');
  const isRecorded = dueSetAtMs !== undefined && lengthMs !== undefined && dueSetAtMs + lengthMs === dueAtMs;
  return isRecorded ? { dueAtMs, dueSetAtMs } : { dueAtMs };
}
