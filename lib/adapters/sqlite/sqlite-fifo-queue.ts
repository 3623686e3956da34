import { setImmediate as nextTurn } from 'node:timers/promises';
import { InfrastructureError } from '../../core/errors.ts';
import type { FifoQueue, OutgoingMessage, QueueReceiver, ReceivedMessage, SendResult } from '../../ports/queue.ts';
import { MAX_BATCH_ENTRIES, MAX_MESSAGE_BYTES, sendBatches, sendRounds } from '../send-batches.ts';
import { FifoMessageGroups } from './fifo-groups.ts';
import { NEXT_VISIBLE, WAITING } from './fifo-statements.ts';
import { longPoll } from './long-poll.ts';
import { bury, type QueueParts, showWhatComesFromTheFuture } from './sqlite-queues.ts';

/** The largest number of messages that one transaction adds. The thread does nothing else during the transaction. */
const SENT_AT_ONCE = 200;

/**
 * A FIFO queue in a state file that behaves like SQS. A message group with a message in flight delivers no other
 * message. One receive may return several messages of a message group, in order. A receipt handle is valid until the
 * message becomes visible again.
 */
export class SqliteFifoQueue implements FifoQueue {
  readonly name: string;
  readonly #parts: QueueParts;
  readonly #messageGroups: FifoMessageGroups;

  constructor(name: string, parts: QueueParts) {
    this.name = name;
    this.#parts = parts;
    this.#messageGroups = new FifoMessageGroups(name, parts);
  }

  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    const { connection, arrivals, onRequest } = this.#parts;
    signal?.throwIfAborted();
    await this.#mendTimes();
    for (const round of sendRounds(messages)) {
      for (const _batch of sendBatches(round, messages)) onRequest('sqs', 'SendMessageBatch', {});
    }
    const results: SendResult[] = [];
    const refusedMessageGroups = new Set<string>();
    for (let from = 0; from < messages.length; from += SENT_AT_ONCE) {
      if (from > 0) await nextTurn();
      const part = messages.slice(from, from + SENT_AT_ONCE);
      try {
        const accepted = part.map((message) => refuse(message, refusedMessageGroups));
        await connection.write(
          () => this.#messageGroups.addAll(part.filter((_, index) => accepted[index]?.accepted === true)),
          {
            signal,
          },
        );
        results.push(...accepted);
      } catch (error) {
        if (from === 0) throw error;
        results.push(...messages.slice(from).map((): SendResult => ({ accepted: false, error })));
        break;
      }
    }
    arrivals.announce(this.name);
    return results;
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    const { connection, arrivals, onRequest } = this.#parts;
    const receivedAtMs = connection.clock.monotonic();
    onRequest('sqs', 'ReceiveMessage', {});
    const poll = {
      queue: this.name,
      clock: connection.clock,
      arrivals,
      take: () => this.#takeIfReady(options, receivedAtMs, signal),
      nextVisibleAtMs: () =>
        connection.read(() => connection.get<{ at: number | null }>(NEXT_VISIBLE, this.name)?.at ?? undefined),
    };
    return longPoll(poll, options.waitSeconds, signal);
  }

  async delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const { connection, arrivals } = this.#parts;
    signal?.throwIfAborted();
    this.#countBatches('DeleteMessageBatch', receiptHandles.length);
    if (receiptHandles.length === 0) return [];
    const left = await connection.write(() => this.#messageGroups.delete(receiptHandles), { signal });
    arrivals.announce(this.name);
    return left;
  }

  async changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void> {
    const { connection, arrivals } = this.#parts;
    this.#countBatches('ChangeMessageVisibilityBatch', receiptHandles.length);
    if (receiptHandles.length === 0) return;
    await connection.write(() => this.#messageGroups.hideFor(receiptHandles, seconds));
    arrivals.announce(this.name);
  }

  waiting(): Promise<number> {
    const { connection, onRequest } = this.#parts;
    onRequest('sqs', 'GetQueueAttributes', {});
    return connection.read(
      () => connection.get<{ waiting: number }>(WAITING, this.name, connection.nowMs)?.waiting ?? 0,
    );
  }

  sendDead({ messageId, body, messageGroupId, reason }: Parameters<FifoQueue['sendDead']>[0]): Promise<void> {
    const { connection, onRequest } = this.#parts;
    onRequest('sqs', 'SendMessage', {});
    const sentAtMs = connection.nowMs;
    return connection.write(() =>
      bury(connection, { queue: this.name, messageId, messageGroupId, body, reason, sentAtMs }),
    );
  }

  /** The check uses no transaction, because most checks find nothing. */
  async #takeIfReady(
    options: Parameters<QueueReceiver['receive']>[0],
    receivedAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ReceivedMessage[]> {
    const { connection } = this.#parts;
    await this.#mendTimes();
    const isReady = await connection.read(() => this.#messageGroups.isReady(), signal);
    if (!isReady) return [];
    return await connection.write(() => this.#messageGroups.take(options, receivedAtMs), { signal });
  }

  #mendTimes(): Promise<void> {
    const { connection, steps } = this.#parts;
    return steps.mend(() => connection.write(() => showWhatComesFromTheFuture(connection)));
  }

  #countBatches(operation: string, entries: number): void {
    for (let sent = 0; sent < entries; sent += MAX_BATCH_ENTRIES) this.#parts.onRequest('sqs', operation, {});
  }
}

/** SQS refuses a message that is too large. The later messages of its message group must wait for it. */
function refuse({ body, messageGroupId }: OutgoingMessage, refusedMessageGroups: Set<string>): SendResult {
  if (refusedMessageGroups.has(messageGroupId)) {
    return { accepted: false, error: new InfrastructureError('not sent: an earlier message of its group was refused') };
  }
  if (Buffer.byteLength(body) <= MAX_MESSAGE_BYTES) return { accepted: true };
  refusedMessageGroups.add(messageGroupId);
  const error = new InfrastructureError(`a message of more than ${MAX_MESSAGE_BYTES} bytes was refused`);
  return { accepted: false, error };
}
