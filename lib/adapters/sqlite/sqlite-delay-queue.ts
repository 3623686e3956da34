import type { DelayQueue, QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import { checkDelaySeconds } from '../delay-seconds.ts';
import { MAX_BATCH_ENTRIES } from '../send-batches.ts';
import { longPoll } from './long-poll.ts';
import { bury, parseHandle, type QueueParts, receiptHandle, showWhatComesFromTheFuture } from './sqlite-queues.ts';

interface MessageRow {
  readonly id: number;
  readonly body: string;
  readonly sent_at: number;
  readonly receive_count: number;
}

const ADD = 'INSERT INTO delayed_message (queue, body, sent_at, visible_at, set_at) VALUES (?1, ?2, ?3, ?4, ?3)';
const ANY_READY = 'SELECT EXISTS (SELECT 1 FROM delayed_message WHERE queue = ? AND visible_at <= ?) AS ready';
const READY =
  'SELECT id, body, sent_at, receive_count FROM delayed_message WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?';
const HIDE =
  'UPDATE delayed_message SET receive_count = receive_count + 1, visible_at = ?, set_at = ?, receiver = ? WHERE id = ?';
const DELETE = 'DELETE FROM delayed_message WHERE id = ?';
const DELETE_RECEIVED = 'DELETE FROM delayed_message WHERE id = ? AND queue = ? AND receive_count = ?';
const NEXT_VISIBLE = 'SELECT min(visible_at) AS at FROM delayed_message WHERE queue = ? AND visible_at > ?';

/**
 * A queue of delayed messages in a state file. It delivers messages in the order in which they become visible, which
 * SQS does not guarantee.
 */
export class SqliteDelayQueue implements DelayQueue {
  readonly name: string;
  readonly #parts: QueueParts;

  constructor(name: string, parts: QueueParts) {
    this.name = name;
    this.#parts = parts;
  }

  async sendDelayed(
    { body, delaySeconds }: { body: string; delaySeconds: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const { connection, arrivals, onRequest } = this.#parts;
    const delayMs = checkDelaySeconds(delaySeconds) * 1_000;
    onRequest('sqs', 'SendMessage', {});
    await connection.write(() => addDelayed(this.#parts, this.name, body, delayMs), { signal });
    arrivals.announce(this.name);
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    const { connection, arrivals, onRequest } = this.#parts;
    const { clock } = connection;
    const receivedAtMs = clock.monotonic();
    onRequest('sqs', 'ReceiveMessage', {});
    const poll = {
      queue: this.name,
      clock,
      arrivals,
      take: () => this.#takeIfReady(options, receivedAtMs, signal),
      nextVisibleAtMs: () =>
        connection.read(
          () => connection.get<{ at: number | null }>(NEXT_VISIBLE, this.name, connection.nowMs)?.at ?? undefined,
        ),
    };
    return longPoll(poll, options.waitSeconds, signal);
  }

  /** Accepts the handle of an earlier receive, but deletes nothing for it. */
  async delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const { connection, onRequest } = this.#parts;
    signal?.throwIfAborted();
    for (let sent = 0; sent < receiptHandles.length; sent += MAX_BATCH_ENTRIES) {
      onRequest('sqs', 'DeleteMessageBatch', {});
    }
    if (receiptHandles.length === 0) return [];
    await connection.write(
      () => {
        for (const handle of receiptHandles) {
          const parsed = parseHandle(handle);
          if (parsed !== undefined) connection.run(DELETE_RECEIVED, parsed.id, this.name, parsed.receiveCount);
        }
      },
      { signal },
    );
    return [];
  }

  async #takeIfReady(
    options: Parameters<QueueReceiver['receive']>[0],
    receivedAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ReceivedMessage[]> {
    const { connection, steps } = this.#parts;
    await steps.mend(() => connection.write(() => showWhatComesFromTheFuture(connection)));
    const isReady = await connection.read(
      () => connection.get<{ ready: number }>(ANY_READY, this.name, connection.nowMs)?.ready === 1,
      signal,
    );
    return isReady ? await connection.write(() => this.#take(options, receivedAtMs), { signal }) : [];
  }

  #take(options: Parameters<QueueReceiver['receive']>[0], receivedAtMs: number): ReceivedMessage[] {
    const { connection, maxReceiveCount, receiver } = this.#parts;
    const { nowMs } = connection;
    const hiddenUntilMs = Math.ceil(nowMs + options.visibilitySeconds * 1_000);
    const taken: ReceivedMessage[] = [];
    const maxMessages = Math.min(options.maxMessages, MAX_BATCH_ENTRIES);
    const rows = connection.all<MessageRow>(READY, this.name, nowMs, maxMessages);
    for (const { id, body, sent_at: sentAtMs, receive_count } of rows) {
      const messageId = `delayed-${id}`;
      if (receive_count >= maxReceiveCount) {
        bury(connection, { queue: this.name, messageId, messageGroupId: null, body, reason: null, sentAtMs });
        connection.run(DELETE, id);
        continue;
      }
      connection.run(HIDE, hiddenUntilMs, nowMs, receiver, id);
      const receiveCount = receive_count + 1;
      const handle = receiptHandle(id, receiveCount);
      taken.push({ messageId, receiptHandle: handle, body, messageGroupId: '', receiveCount, sentAtMs, receivedAtMs });
    }
    // Repeats while it found only dead letters.
    return taken.length === 0 && rows.length > 0 ? this.#take(options, receivedAtMs) : taken;
  }
}

/** Adds a message. Runs within `write`. */
export function addDelayed({ connection }: QueueParts, queue: string, body: string, delayMs: number): void {
  const { nowMs } = connection;
  connection.run(ADD, queue, body, nowMs, Math.ceil(nowMs + delayMs));
}
