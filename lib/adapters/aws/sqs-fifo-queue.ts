import { InfrastructureError } from '../../core/errors.ts';
import type { FifoQueue, OutgoingMessage, QueueReceiver, ReceivedMessage, SendResult } from '../../ports/queue.ts';
import { MAX_MESSAGE_BYTES, sendBatches, sendRounds } from '../send-batches.ts';
import { SqsQueue, type SqsQueueOptions } from './sqs-queue.ts';

export interface SqsFifoQueueOptions extends SqsQueueOptions {
  readonly deadLetterQueueUrl: string;
}

/** How many batches of one call are sent in parallel: those of 100 messages, as many as the relay handles together. */
export const CONCURRENT_BATCHES = 10;

/** A FIFO queue and its FIFO dead-letter queue. */
export class SqsFifoQueue implements FifoQueue {
  readonly #queue: SqsQueue;
  readonly #deadLetterQueue: SqsQueue;

  constructor({ deadLetterQueueUrl, ...options }: SqsFifoQueueOptions) {
    this.#queue = new SqsQueue(options);
    this.#deadLetterQueue = new SqsQueue({ ...options, queueUrl: deadLetterQueueUrl });
  }

  /**
   * Sends in rounds (see sendRounds), so that a message never overtakes a refused one of its message group: the later
   * ones are not sent, and their results say so. A batch without an answer counts as refused; with the same
   * deduplication ids it can be sent again without harm. After such a batch no other one starts, because it would wait
   * for the same failure.
   */
  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    const sending = new Sending(this.#queue, messages, signal);
    for (const round of sendRounds(messages)) await sending.round(round);
    return sending.results();
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    return this.#queue.receive(options, signal);
  }

  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.#queue.delete(receiptHandles, signal);
  }

  changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void> {
    return this.#queue.changeVisibility(receiptHandles, seconds);
  }

  waiting(): Promise<number> {
    return this.#queue.waiting();
  }

  sendDead({ body, messageGroupId, reason, messageId }: Parameters<FifoQueue['sendDead']>[0]): Promise<void> {
    return this.#deadLetterQueue.send({
      MessageBody: body,
      MessageGroupId: messageGroupId,
      MessageDeduplicationId: messageId,
      ...reasonAttribute(body, reason),
    });
  }
}

/** One call of `send`: the known result of each message. */
class Sending {
  readonly #queue: SqsQueue;
  readonly #messages: readonly OutgoingMessage[];
  readonly #signal: AbortSignal | undefined;
  readonly #results: (SendResult | undefined)[];
  /** Message groups with a refused message; later messages of these wait. */
  readonly #heldMessageGroups = new Set<string>();
  #answered = false;
  /** Why a batch got no answer. */
  #failure: unknown;

  constructor(queue: SqsQueue, messages: readonly OutgoingMessage[], signal: AbortSignal | undefined) {
    this.#queue = queue;
    this.#messages = messages;
    this.#signal = signal;
    this.#results = new Array(messages.length).fill(undefined);
  }

  async round(indices: readonly number[]): Promise<void> {
    const free = indices.filter((index) => !this.#heldMessageGroups.has(this.#messages[index]?.messageGroupId ?? ''));
    const batches = sendBatches(free, this.#messages);
    const work = async () => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        if (this.#failure !== undefined) return;
        await this.#sendBatch(batch);
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_BATCHES, batches.length) }, work));
  }

  /** @throws the failure when no batch was answered. */
  results(): SendResult[] {
    if (this.#failure !== undefined && !this.#answered) throw this.#failure;
    const error = this.#failure ?? new InfrastructureError('not sent: an earlier message of its group was refused');
    return this.#results.map((result) => result ?? { accepted: false, error });
  }

  async #sendBatch(indices: readonly number[]): Promise<void> {
    try {
      const entries = indices.flatMap((index) => this.#messages[index] ?? []).map(batchEntry);
      const refusals = await this.#queue.sendBatch(entries, this.#signal);
      this.#answered = true;
      for (const [position, index] of indices.entries()) this.#record(index, refusals[position]);
    } catch (error) {
      this.#failure ??= error;
      for (const index of indices) this.#record(index, error);
    }
  }

  #record(index: number, error: unknown): void {
    this.#results[index] = error === undefined ? { accepted: true } : { accepted: false, error };
    if (error !== undefined) this.#heldMessageGroups.add(this.#messages[index]?.messageGroupId ?? '');
  }
}

function batchEntry({ body, messageGroupId, deduplicationId }: OutgoingMessage) {
  return { MessageBody: body, MessageGroupId: messageGroupId, MessageDeduplicationId: deduplicationId };
}

const REASON = 'reason';
const TEXT_TYPE = 'String';
/**
 * Long enough for our own reasons. A longer text of a foreign error must not prevent that a message becomes a dead
 * letter.
 */
const MAX_REASON_BYTES = 2_048;

/**
 * Shortens the reason when the body leaves too little room: SQS counts names, types and values of attributes as a part
 * of the message.
 */
function reasonAttribute(body: string, reason: string) {
  const left = MAX_MESSAGE_BYTES - Buffer.byteLength(body) - REASON.length - TEXT_TYPE.length;
  const kept = withinBytes(reason, Math.min(left, MAX_REASON_BYTES));
  if (kept === '') return {};
  return { MessageAttributes: { [REASON]: { DataType: TEXT_TYPE, StringValue: kept } } };
}

function withinBytes(text: string, bytes: number): string {
  if (bytes <= 0) return '';
  // Drops the first bytes of a character that the cut splits.
  return new TextDecoder('utf-8').decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
