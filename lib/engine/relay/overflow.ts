import { changedObjectOf, isRequest, type QueueMessage } from '../../core/event.ts';
import { objectKey } from '../../core/observation.ts';
import { targetId } from '../../core/target.ts';
import type { Lane } from '../event-sender.ts';
import { selectEvents } from '../fanout/wakeup.ts';
import { LinkedAbort } from '../linked-abort.ts';
import type { StreamConnection } from './stream-connection.ts';

type Connection = Pick<StreamConnection, 'deps' | 'options' | 'delivery' | 'signal'>;

interface Waiting {
  readonly event: QueueMessage;
  /** Numbers the batches, in the order of the watch. */
  readonly batch: number;
  readonly onAccepted: () => Promise<void>;
}

/**
 * Events that exceed the pace of their namespace. Of several events about one object to one target, the newest is kept. While
 * the `events` lane is nearly empty, the oldest of them use it. All are sent by the `resync` lane every few seconds, unless
 * that lane is full. So the number of messages in the lane is bounded by the number of objects and not of edits.
 */
export class Overflow {
  readonly #connection: Connection;
  readonly #onFailure: (error: unknown) => void;
  readonly #stop = new AbortController();
  /** The queues whose last answer was an error. */
  readonly #silent = new Set<string>();
  #waiting = new Map<string, Waiting>();
  #sending: Promise<void> | undefined;

  /**
   * @param onFailure called when these events cannot be sent, so that the caller reads no more; `settle` throws the same
   * error.
   */
  constructor(connection: Connection, onFailure: (error: unknown) => void) {
    this.#connection = connection;
    this.#onFailure = onFailure;
  }

  /**
   * Keeps an event until it is sent. If a later batch has a newer event for the same, the older one counts as accepted at
   * once: the checkpoint cannot pass the later batch, and after a crash the newer event comes again.
   */
  async put(late: Waiting): Promise<void> {
    const key = keyOf(late.event);
    const before = this.#waiting.get(key);
    const isNewest = before === undefined || before.batch <= late.batch;
    if (isNewest) this.#waiting.set(key, late);
    if (this.#sending === undefined) {
      this.#sending = this.#sendNowAndThen();
      this.#sending.catch(this.#onFailure);
    }
    await (isNewest ? before : late)?.onAccepted();
  }

  /** Resolves when there is room for more: at once, unless too many wait. */
  async room(): Promise<void> {
    if (this.#waiting.size >= this.#connection.options.overflow.size)
      await this.#send('resync', [...this.#waiting.keys()]);
  }

  /**
   * Sends the remaining events.
   * @throws the error that kept an event from being sent.
   */
  async settle(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
    await this.#send('resync', [...this.#waiting.keys()]);
  }

  async #sendNowAndThen(): Promise<void> {
    const { deps, options, signal } = this.#connection;
    using either = new LinkedAbort(signal, this.#stop.signal);
    let lastMs = deps.clock.monotonic();
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      await deps.clock
        .sleep(Math.min(options.spareLane.everyMs, options.overflow.everyMs), either.signal)
        .catch(() => {});
      signal.throwIfAborted();
      if (this.#stop.signal.aborted) break;
      await this.#send('events', await this.#keysWithRoom('events'));
      if (deps.clock.monotonic() - lastMs < options.overflow.everyMs) continue;
      lastMs = deps.clock.monotonic();
      await this.#send('resync', await this.#keysWithRoom('resync'));
    }
    this.#sending = undefined;
  }

  /** The events for which a lane has room: of the `events` lane the oldest ones up to its spare depth, else all or none. */
  async #keysWithRoom(lane: Lane): Promise<string[]> {
    const { deps } = this.#connection;
    const keys: string[] = [];
    for (const [group, entries] of Map.groupBy(this.#waiting, ([, { event }]) => deps.sender.groupOf(event))) {
      const room = this.#roomOf(lane, await this.#laneDepth(group, lane));
      keys.push(...entries.slice(0, room).map(([key]) => key));
    }
    return keys;
  }

  #roomOf(lane: Lane, depth: number): number {
    const { spareLane, overflow } = this.#connection.options;
    if (lane === 'events') return Math.max(0, spareLane.depth - depth);
    return depth > overflow.laneDepth ? 0 : Number.POSITIVE_INFINITY;
  }

  /** A queue that does not return its size is asked again later, in the same way as a full one. It is logged once. */
  async #laneDepth(group: string, lane: Lane): Promise<number> {
    const { sender, logger } = this.#connection.deps;
    const queue = `${group} ${lane}`;
    try {
      const depth = await sender.waiting(group, lane);
      this.#silent.delete(queue);
      return depth;
    } catch (error) {
      const what =
        'the queue does not report how many messages it holds: events beyond the rate of their namespace wait';
      if (!this.#silent.has(queue)) logger.error(what, error, { group, lane });
      this.#silent.add(queue);
      return Number.POSITIVE_INFINITY;
    }
  }

  async #send(lane: Lane, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { deps, delivery, signal } = this.#connection;
    const taken = keys.flatMap((key) => this.#waiting.get(key) ?? []);
    for (const key of keys) this.#waiting.delete(key);
    const messages = taken.map(({ event }) => event);
    const wakeups = messages.flatMap((event) => (isRequest(event) ? [] : [{ event, onlyIfKnown: false }]));
    const events = await selectEvents(deps, wakeups);
    await delivery.deliver(lane, [...events, ...messages.filter(isRequest)], signal);
    for (const { onAccepted } of taken) await onAccepted();
  }
}

/** Names the target and the object that the event is about. A request is only about its own object. */
function keyOf(message: QueueMessage): string {
  if (isRequest(message))
    return `${message.cause} ${message.cluster} ${message.group} ${objectKey(message.kind, message)}`;
  const changed = changedObjectOf(message);
  return `${targetId(message)} ${changed === undefined ? '' : objectKey(changed.kind, changed)}`;
}
