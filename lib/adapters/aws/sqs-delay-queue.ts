import type { DelayQueue, QueueReceiver, ReceivedMessage } from '../../ports/queue.ts';
import { SqsQueue, type SqsQueueOptions } from './sqs-queue.ts';

/** A standard queue. A send that was repeated may deliver its message twice. */
export class SqsDelayQueue implements DelayQueue {
  readonly #queue: SqsQueue;

  constructor(options: SqsQueueOptions) {
    this.#queue = new SqsQueue(options);
  }

  sendDelayed({ body, delaySeconds }: { body: string; delaySeconds: number }, signal?: AbortSignal): Promise<void> {
    return this.#queue.send({ MessageBody: body, DelaySeconds: delaySeconds }, signal);
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    return this.#queue.receive(options, signal);
  }

  delete(receiptHandles: readonly string[], signal?: AbortSignal): Promise<string[]> {
    return this.#queue.delete(receiptHandles, signal);
  }
}
