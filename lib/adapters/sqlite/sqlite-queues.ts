import { DEDUPLICATION_MS } from '../../ports/queue.ts';
import type { OnRequest } from '../request-observer.ts';
import type { Arrivals } from './arrivals.ts';
import { type ClockSteps, STEP_TOLERANCE_MS } from './clock-steps.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** The parts that the queues of one file share. */
export interface QueueParts {
  readonly connection: SqliteConnection;
  readonly arrivals: Arrivals;
  readonly steps: ClockSteps;
  readonly onRequest: OnRequest;
  /** After this number of receives, a message becomes a dead letter. */
  readonly maxReceiveCount: number;
  /** The name of this process as a receiver of messages. */
  readonly receiver: string;
}

const REGISTER = 'INSERT INTO queue (name, type) VALUES (?, ?) ON CONFLICT DO NOTHING';
const BURY =
  'INSERT INTO dead_letter (queue, message_id, group_id, body, reason, sent_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
const FORGET_IDS =
  'DELETE FROM deduplication WHERE (queue, id) IN (SELECT queue, id FROM deduplication WHERE sent_at <= ? LIMIT 5000)';

const SHOW_DELAYED = 'UPDATE delayed_message SET visible_at = ?1, set_at = ?1 WHERE set_at > ?2';
const SHOW_IN_FLIGHT =
  'UPDATE fifo_message SET hidden_until = NULL, hidden_at = NULL WHERE hidden_until IS NOT NULL AND hidden_at > ?';
/** Runs after messages in flight became visible: each group is hidden as long as the rest of its messages in flight. */
export const SHOW_GROUPS =
  'UPDATE fifo_group SET hidden_until = (SELECT max(hidden_until) FROM fifo_message AS message ' +
  'WHERE message.queue = fifo_group.queue AND message.group_id = fifo_group.group_id) WHERE hidden_until IS NOT NULL';
const FORGET_FUTURE = 'DELETE FROM deduplication WHERE sent_at > ?';

/** Used only after the clock was set back, and once at the start, because they may read whole tables. */
export const RARE_STATEMENTS: readonly string[] = [SHOW_DELAYED, SHOW_IN_FLIGHT, SHOW_GROUPS, FORGET_FUTURE];

export type QueueType = 'fifo' | 'delayed';

/** Records that the queue exists, so that an operator finds its dead letters. */
export function registerQueue(connection: SqliteConnection, name: string, type: QueueType): Promise<void> {
  return connection.write(() => {
    connection.run(REGISTER, name, type);
  });
}

export interface NewDeadLetter {
  readonly queue: string;
  readonly messageId: string;
  /** Null for a delayed message. */
  readonly messageGroupId: string | null;
  readonly body: string;
  /** Null for a message that was received too often. */
  readonly reason: string | null;
  readonly sentAtMs: number;
}

/** Adds a dead letter, once for each message. Runs within `write`. */
export function bury(connection: SqliteConnection, letter: NewDeadLetter): void {
  const { queue, messageId, messageGroupId, body, reason, sentAtMs } = letter;
  connection.run(BURY, queue, messageId, messageGroupId, body, reason, sentAtMs);
}

/** Removes ids that were sent more than five minutes ago. Runs within `write`. @returns whether more may be left. */
export function forgetIds(connection: SqliteConnection, nowMs: number): boolean {
  return connection.run(FORGET_IDS, nowMs - DEDUPLICATION_MS).changes > 0;
}

/**
 * Runs after the clock was set back. A message that was hidden at a future time becomes visible at once, because the
 * rest of its hidden time is unknown. An id that was sent at a future time is removed. Each of both costs at most one
 * additional pass.
 */
export function showWhatComesFromTheFuture(connection: SqliteConnection): void {
  const { nowMs } = connection;
  const futureMs = nowMs + STEP_TOLERANCE_MS;
  connection.run(SHOW_DELAYED, nowMs, futureMs);
  if (connection.run(SHOW_IN_FLIGHT, futureMs).changes > 0) connection.run(SHOW_GROUPS);
  connection.run(FORGET_FUTURE, futureMs);
}

/** Each receive of a message returns another handle. The handle identifies the message and the receive. */
export function receiptHandle(id: number, receiveCount: number): string {
  return `${id}:${receiveCount}`;
}

/** Undefined for a text that is not a handle of this package. */
export function parseHandle(handle: string): { id: number; receiveCount: number } | undefined {
  const match = /^(\d{1,15}):(\d{1,9})$/.exec(handle);
  return match === null ? undefined : { id: Number(match[1]), receiveCount: Number(match[2]) };
}
