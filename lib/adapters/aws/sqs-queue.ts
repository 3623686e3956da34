import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { InfrastructureError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import type { OnRequest } from '../request-observer.ts';
import { MAX_BATCH_ENTRIES } from '../send-batches.ts';
import { awsFailure } from './aws-failure.ts';

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly onRequest?: OnRequest;
}

/** The result of one entry of a batch: undefined, or the reason of the refusal. */
export type EntryResult = InfrastructureError | undefined;

/** How much longer than its wait time a receive may take. */
const RECEIVE_MARGIN_MS = 5_000;

/**
 * The requests of the queues. When a signal aborts one, its reason is thrown; every other failure is an
 * InfrastructureError.
 */
export class SqsQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #clock: Clock;
  readonly #onRequest: OnRequest;

  constructor({ client, queueUrl, clock, onRequest = () => {} }: SqsQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#clock = clock;
    this.#onRequest = onRequest;
  }

  async receive(
    { maxMessages, waitSeconds, visibilitySeconds }: Parameters<QueueReceiver['receive']>[0],
    signal?: AbortSignal,
  ): Promise<ReceivedMessage[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: maxMessages,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: visibilitySeconds,
      MessageSystemAttributeNames: ['MessageGroupId', 'ApproximateReceiveCount', 'SentTimestamp'],
    });
    const receivedAtMs = this.#clock.monotonic();
    const askedAtMs = this.#clock.now();
    const options = { ...sendOptions(signal), requestTimeout: waitSeconds * 1_000 + RECEIVE_MARGIN_MS };
    const answer = await this.#request('ReceiveMessage', signal, () => this.#client.send(command, options));
    return (answer.Messages ?? []).map((message) => receivedMessage(message, receivedAtMs, askedAtMs));
  }

  /** At most 10 entries; this function sets their Ids. */
  async sendBatch(
    entries: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
    signal?: AbortSignal,
  ): Promise<EntryResult[]> {
    const command = new SendMessageBatchCommand({
      QueueUrl: this.#queueUrl,
      Entries: entries.map((entry, index) => ({ ...entry, Id: String(index) })),
    });
    const send = () => this.#client.send(command, sendOptions(signal));
    const answer = await this.#request('SendMessageBatch', signal, send);
    return this.#entryResults('SendMessageBatch', entries.length, answer.Failed);
  }

  async send(message: Omit<SendMessageCommandInput, 'QueueUrl'>, signal?: AbortSignal): Promise<void> {
    const command = new SendMessageCommand({ QueueUrl: this.#queueUrl, ...message });
    await this.#request('SendMessage', signal, () => this.#client.send(command, sendOptions(signal)));
  }

  /**
   * Deletes in batches.
   * @returns the handles whose messages were not deleted. Rejects only when no batch was answered.
   */
  async delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const left: string[] = [];
    let answered = false;
    let failure: unknown;
    for (const handles of inBatches(receiptHandles)) {
      try {
        left.push(...(await this.#deleteBatch(handles, signal)));
        answered = true;
      } catch (error) {
        failure = error;
        left.push(...handles);
      }
    }
    if (failure !== undefined && !answered) throw failure;
    return left;
  }

  /** The approximate number of messages that wait to be received. */
  async waiting(): Promise<number> {
    const command = new GetQueueAttributesCommand({
      QueueUrl: this.#queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    const answer = await this.#request('GetQueueAttributes', undefined, () => this.#client.send(command));
    return Number(answer.Attributes?.ApproximateNumberOfMessages ?? 0);
  }

  /** Messages that are not in flight any more are visible already, and are ignored. */
  async changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void> {
    for (const handles of inBatches(receiptHandles)) {
      const command = new ChangeMessageVisibilityBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: handles.map((ReceiptHandle, index) => ({
          Id: String(index),
          ReceiptHandle,
          VisibilityTimeout: seconds,
        })),
      });
      await this.#request('ChangeMessageVisibilityBatch', undefined, () => this.#client.send(command));
    }
  }

  async #deleteBatch(handles: readonly string[], signal: AbortSignal | undefined): Promise<string[]> {
    const command = new DeleteMessageBatchCommand({
      QueueUrl: this.#queueUrl,
      Entries: handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
    });
    const send = () => this.#client.send(command, sendOptions(signal));
    const answer = await this.#request('DeleteMessageBatch', signal, send);
    const results = this.#entryResults('DeleteMessageBatch', handles.length, answer.Failed);
    return handles.filter((_handle, index) => results[index] !== undefined);
  }

  #entryResults(
    operation: string,
    count: number,
    failed: readonly { Id?: string | undefined; Code?: string | undefined }[] = [],
  ): EntryResult[] {
    const results: EntryResult[] = new Array(count).fill(undefined);
    for (const { Id, Code = 'unknown' } of failed) {
      results[Number(Id)] = new InfrastructureError(
        `SQS ${operation} on ${this.#queueUrl} refused an entry with ${Code}: it is sent again, or delivered again`,
        { data: { operation, queueUrl: this.#queueUrl, error: Code } },
      );
    }
    return results;
  }

  async #request<Answer>(
    operation: string,
    signal: AbortSignal | undefined,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      throw awsFailure('SQS', operation, this.#queueUrl, error);
    } finally {
      this.#onRequest('sqs', operation, {});
    }
  }
}

function sendOptions(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

function receivedMessage(message: Message, receivedAtMs: number, askedAtMs: number): ReceivedMessage {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    messageGroupId: message.Attributes?.MessageGroupId ?? '',
    receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
    sentAtMs: Number(message.Attributes?.SentTimestamp ?? askedAtMs),
    receivedAtMs,
  };
}

function inBatches(handles: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let from = 0; from < handles.length; from += MAX_BATCH_ENTRIES) {
    batches.push(handles.slice(from, from + MAX_BATCH_ENTRIES));
  }
  return batches;
}
