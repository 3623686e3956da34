import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetter, DeadLetterQueue, DeadLetters } from '../../ports/dead-letters.ts';
import { awsFailure } from './aws-failure.ts';

const DEAD = /-dead(\.fifo)?$/;
const RECEIVE_AT_ONCE = 10;
/** Long enough to send the received messages to their queue. */
const VISIBILITY_SECONDS = 60;

interface SqsDeadLetterQueue extends DeadLetterQueue {
  readonly url: string;
}

/**
 * Dead-letter queues of SQS: the queues whose names end with `-dead`. A received message stays hidden for a minute.
 * When it takes longer to read a queue, the first messages are received again, with new handles.
 */
export class SqsDeadLetters implements DeadLetters {
  readonly #client: SQSClient;

  constructor(client: SQSClient) {
    this.#client = client;
  }

  async queues(stage: string): Promise<SqsDeadLetterQueue[]> {
    const prefix = `evenkeel-${stage}-`;
    const urls: string[] = [];
    let next: string | undefined;
    do {
      const command = new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 1_000, NextToken: next });
      const page = await this.#request('ListQueues', prefix, () => this.#client.send(command));
      urls.push(...(page.QueueUrls ?? []));
      next = page.NextToken;
    } while (next !== undefined);
    const dead = urls.filter((url) => DEAD.test(url)).sort();
    return await Promise.all(dead.map(async (url) => ({ name: nameOf(url), url, count: await this.#count(url) })));
  }

  async peek(queue: SqsDeadLetterQueue): Promise<DeadLetter[]> {
    const received = new Map<string | undefined, Message>();
    try {
      for (;;) {
        const messages = await this.#receive(queue);
        // No message, or only messages that were received before: the queue has no others.
        const isEnd = messages.every(({ MessageId }) => received.has(MessageId));
        for (const message of messages) received.set(message.MessageId, message);
        if (isEnd) return [...received.values()].map(letterOf);
      }
    } finally {
      await this.#release(queue, received.values());
    }
  }

  /** @param choose is called for each letter before it is sent: `keep` leaves it, `end` leaves it and all later ones. */
  async redrive(
    queue: SqsDeadLetterQueue,
    onSent: (letter: DeadLetter) => void,
    choose: (letter: DeadLetter) => Promise<'send' | 'keep' | 'end'> = async () => 'send',
  ): Promise<void> {
    const source = await this.#sourceOf(queue);
    // A message that no worker can handle comes back soon. It must not be sent twice.
    const sent = new Set<string>();
    const seen = new Set<string | undefined>();
    const kept = new Map<string | undefined, Message>();
    try {
      for (;;) {
        const messages = await this.#receive(queue);
        for (const message of messages) kept.set(message.MessageId, message);
        if (messages.every(({ MessageId }) => seen.has(MessageId))) return;
        for (const { MessageId } of messages) seen.add(MessageId);
        for (const message of messages) {
          const content = `${message.Attributes?.MessageGroupId} ${message.Body}`;
          if (sent.has(content)) continue;
          const choice = await choose(letterOf(message));
          if (choice === 'end') return;
          if (choice === 'keep') continue;
          await this.#sendOn(source, message);
          const command = new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle: message.ReceiptHandle });
          await this.#request('DeleteMessage', queue.url, () => this.#client.send(command));
          kept.delete(message.MessageId);
          sent.add(content);
          onSent(letterOf(message));
        }
      }
    } finally {
      await this.#release(queue, kept.values());
    }
  }

  async #count(url: string): Promise<number> {
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages'] });
    const { Attributes } = await this.#request('GetQueueAttributes', url, () => this.#client.send(command));
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  }

  async #sourceOf({ url }: SqsDeadLetterQueue): Promise<string> {
    const name = (url.split('/').at(-1) ?? '').replace(DEAD, '$1');
    const command = new GetQueueUrlCommand({ QueueName: name });
    const { QueueUrl = '' } = await this.#request('GetQueueUrl', name, () => this.#client.send(command));
    return QueueUrl;
  }

  async #receive({ url }: SqsDeadLetterQueue): Promise<Message[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: RECEIVE_AT_ONCE,
      WaitTimeSeconds: 1,
      VisibilityTimeout: VISIBILITY_SECONDS,
      MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp'],
      MessageAttributeNames: ['reason'],
    });
    const { Messages = [] } = await this.#request('ReceiveMessage', url, () => this.#client.send(command));
    return Messages;
  }

  /**
   * The deduplication id contains the message's id. So a redrive that is repeated after a crash delivers the message
   * once.
   */
  async #sendOn(queueUrl: string, { MessageId = '', Body, Attributes }: Message): Promise<void> {
    const messageGroupId = Attributes?.MessageGroupId;
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: Body,
      ...(messageGroupId !== undefined && {
        MessageGroupId: messageGroupId,
        MessageDeduplicationId: `redrive:${MessageId}`,
      }),
    });
    await this.#request('SendMessage', queueUrl, () => this.#client.send(command));
  }

  /** Makes messages visible again. A failure is ignored: the message becomes visible by itself within a minute. */
  async #release({ url }: SqsDeadLetterQueue, messages: Iterable<Message>): Promise<void> {
    const release = ({ ReceiptHandle }: Message) =>
      this.#client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }));
    await Promise.allSettled(Array.from(messages, release));
  }

  async #request<Answer>(operation: string, resource: string, send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      throw awsFailure('SQS', operation, resource, error);
    }
  }
}

function nameOf(url: string): string {
  return (url.split('/').at(-1) ?? '').replace(/\.fifo$/, '');
}

function letterOf({ MessageId = '', Body = '', Attributes, MessageAttributes }: Message): DeadLetter {
  const reason = MessageAttributes?.reason?.StringValue;
  return {
    messageId: MessageId,
    body: Body,
    ...(reason !== undefined && { reason }),
    sentAtMs: Number(Attributes?.SentTimestamp ?? 0),
  };
}
