import { EvenkeelError } from '../core/errors.ts';
import { deduplicationId, isRequest, messageGroupOf, type QueueMessage } from '../core/event.ts';
import type { Entropy } from '../ports/clock.ts';
import type { OutgoingMessage, QueueDepth, QueueSender, SendResult } from '../ports/queue.ts';
import { encodeEvent } from './messages/encode-event.ts';
import type { Registry } from './registry.ts';

/** `events` for changes by users and deadlines; `resync` for large numbers of events, with its own small concurrency. */
export type Lane = 'events' | 'resync';

/** The two queues of one controller group. */
export type GroupQueues = Readonly<Record<Lane, QueueSender & QueueDepth>>;

/** Sends each message to the queue of its controller group: the group that reconciles the target, or that reads the object. */
export class EventSender {
  readonly #registry: Registry;
  readonly #queues: Readonly<Record<string, GroupQueues>>;
  readonly #entropy: Entropy;

  /** @param queues by controller group. */
  constructor(registry: Registry, queues: Readonly<Record<string, GroupQueues>>, entropy: Entropy) {
    this.#registry = registry;
    this.#queues = queues;
    this.#entropy = entropy;
  }

  /**
   * Sends events. The result at each index shows whether the queue accepted that event. An event for a kind that no installed
   * controller reconciles is a bug of the caller.
   * @throws EvenkeelError UNKNOWN_KIND
   */
  async send(lane: Lane, events: readonly QueueMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    const results: SendResult[] = new Array(events.length);
    const byGroup = Map.groupBy(
      events.map((event, index) => ({ event, index })),
      ({ event }) => this.groupOf(event),
    );
    await Promise.all(
      [...byGroup].map(async ([group, entries]) => {
        const sent = await this.#queue(group, lane).send(
          entries.map(({ event }) => this.#toMessage(event)),
          signal,
        );
        entries.forEach(({ index }, position) => {
          results[index] = sent[position] ?? {
            accepted: false,
            error: new EvenkeelError('NO_RESULT', 'the queue gave no result for an entry'),
          };
        });
      }),
    );
    return results;
  }

  /** Sends all events or throws the first refusal. For callers whose own retry sends everything again. */
  async sendAll(lane: Lane, events: readonly QueueMessage[], signal?: AbortSignal): Promise<void> {
    if (events.length === 0) return;
    const refused = (await this.send(lane, events, signal)).find((result) => !result.accepted);
    if (refused !== undefined && !refused.accepted) throw refused.error;
  }

  /** The approximate number of messages that wait in a lane of a controller group. @throws EvenkeelError UNKNOWN_GROUP */
  async waiting(group: string, lane: Lane): Promise<number> {
    return await this.#queue(group, lane).waiting();
  }

  #queue(group: string, lane: Lane): GroupQueues[Lane] {
    const queues = this.#queues[group];
    if (queues === undefined)
      throw new EvenkeelError('UNKNOWN_GROUP', `no queue is configured for controller group ${group}`);
    return queues[lane];
  }

  /** The controller group that an event is for. @throws EvenkeelError UNKNOWN_KIND */
  groupOf(event: QueueMessage): string {
    const group = isRequest(event) ? event.group : this.#registry.controllerOf(event.kind)?.group;
    if (group === undefined) {
      throw new EvenkeelError(
        'UNKNOWN_KIND',
        `no installed controller reconciles ${event.kind}; install its group or drop the event`,
      );
    }
    return group;
  }

  #toMessage(event: QueueMessage): OutgoingMessage {
    return {
      body: encodeEvent(event),
      messageGroupId: messageGroupOf(event),
      deduplicationId: deduplicationId(event, () => this.#entropy.id()),
    };
  }
}
