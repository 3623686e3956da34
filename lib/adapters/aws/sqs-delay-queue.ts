import type { DelayQueue, QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import { checkDelaySeconds } from '../delay-seconds.ts';
import { SqsQueue, type SqsQueueOptions } from './sqs-queue.ts';

/** A standard queue. A repeated send may deliver its message twice. */
export class SqsDelayQueue implements DelayQueue {
  readonly #queue: SqsQueue;

  constructor(options: SqsQueueOptions) {
    this.#queue = new SqsQueue(options);
  }

  async sendDelayed(message: { body: string; delaySeconds: number }, signal?: AbortSignal): Promise<void> {
    const delaySeconds = checkDelaySeconds(message.delaySeconds);
    await this.#queue.send({ MessageBody: message.body, DelaySeconds: delaySeconds }, signal);
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    return this.#queue.receive(options, signal);
  }

  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.#queue.delete(receiptHandles, signal);
  }
}
