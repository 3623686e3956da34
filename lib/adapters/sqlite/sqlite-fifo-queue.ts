import { setImmediate as nextTurn } from 'node:timers/promises';
import { InfrastructureError } from '../../core/errors.ts';
import {
  DEDUPLICATION_MS,
  type FifoQueue,
  type OutgoingMessage,
  type QueueReceiver,
  type ReceivedMessage,
  type SendResult,
} from '../../ports/queue.ts';
import { MAX_BATCH_ENTRIES, MAX_MESSAGE_BYTES, sendBatches, sendRounds } from '../send-batches.ts';
import { STEP_TOLERANCE_MS } from './clock-steps.ts';
import {
  ADD,
  ANY_READY,
  BEGIN_GROUP,
  DELETE,
  END_GROUP,
  FIND,
  HEAD,
  HIDE,
  HIDE_GROUP,
  NEXT_VISIBLE,
  READY_GROUPS,
  REMEMBER,
  SET_GROUP,
  SET_HIDDEN,
  SHOW_GROUPS,
  WAITING,
} from './fifo-statements.ts';
import { longPoll } from './long-poll.ts';
import { bury, parseHandle, type QueueParts, receiptHandle, showWhatComesFromTheFuture } from './sqlite-queues.ts';

interface MessageRow {
  readonly id: number;
  readonly group_id: string;
  readonly body: string;
  readonly sent_at: number;
  readonly receive_count: number;
  readonly hidden_until: number | null;
}

/** One receive, and what it has taken so far. */
interface Receive {
  readonly maxMessages: number;
  readonly nowMs: number;
  readonly hiddenUntilMs: number;
  readonly receivedAtMs: number;
  readonly taken: ReceivedMessage[];
}

/** How many messages one transaction adds: the thread does nothing else in that time. */
const SENT_AT_ONCE = 200;

/**
 * A FIFO queue in a state file, as SQS has them: a group with a message in flight gives out no other; one receive may give
 * out several messages of a group, in order; a receipt handle is good until the message becomes visible again.
 */
export class SqliteFifoQueue implements FifoQueue {
  readonly name: string;
  readonly #parts: QueueParts;

  constructor(name: string, parts: QueueParts) {
    this.name = name;
    this.#parts = parts;
  }

  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<SendResult[]> {
    const { connection, arrivals, onRequest } = this.#parts;
    signal?.throwIfAborted();
    await this.#mendTimes();
    for (const round of sendRounds(messages)) {
      for (const _batch of sendBatches(round, messages)) onRequest('sqs', 'SendMessageBatch', {});
    }
    const results: SendResult[] = [];
    const refusedGroups = new Set<string>();
    for (let from = 0; from < messages.length; from += SENT_AT_ONCE) {
      if (from > 0) await nextTurn();
      const part = messages.slice(from, from + SENT_AT_ONCE);
      try {
        const accepted = part.map((message) => refuse(message, refusedGroups));
        await connection.write(() => this.#addAll(part.filter((_, index) => accepted[index]?.accepted === true)), {
          signal,
        });
        results.push(...accepted);
      } catch (error) {
        if (from === 0) throw error;
        results.push(...messages.slice(from).map((): SendResult => ({ accepted: false, error })));
        break;
      }
    }
    arrivals.announce();
    return results;
  }

  receive(options: Parameters<QueueReceiver['receive']>[0], signal?: AbortSignal): Promise<ReceivedMessage[]> {
    const { connection, arrivals, onRequest } = this.#parts;
    const receivedAtMs = connection.clock.monotonic();
    onRequest('sqs', 'ReceiveMessage', {});
    const poll = {
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
    const left = await connection.write(
      () => {
        const groups = new Set<string>();
        const failed = receiptHandles.filter((handle) => {
          const { message, isCurrent } = this.#find(handle);
          if (message === undefined) return false;
          if (!isCurrent) return true;
          connection.run(DELETE, message.id);
          groups.add(message.group_id);
          return false;
        });
        for (const group of groups) this.#refresh(group);
        return failed;
      },
      { signal },
    );
    arrivals.announce();
    return left;
  }

  async changeVisibility(receiptHandles: readonly string[], seconds: number): Promise<void> {
    const { connection, arrivals } = this.#parts;
    this.#countBatches('ChangeMessageVisibilityBatch', receiptHandles.length);
    if (receiptHandles.length === 0) return;
    await connection.write(() => {
      const nowMs = connection.nowMs;
      const groups = new Set<string>();
      for (const handle of receiptHandles) {
        const { message, isCurrent } = this.#find(handle);
        if (message === undefined || !isCurrent) continue;
        connection.run(SET_HIDDEN, Math.ceil(nowMs + seconds * 1_000), nowMs, message.id);
        groups.add(message.group_id);
      }
      for (const group of groups) this.#refresh(group);
    });
    arrivals.announce();
  }

  waiting(): Promise<number> {
    const { connection, onRequest } = this.#parts;
    onRequest('sqs', 'GetQueueAttributes', {});
    return connection.read(
      () => connection.get<{ waiting: number }>(WAITING, this.name, connection.nowMs)?.waiting ?? 0,
    );
  }

  sendDead({ messageId, body, groupId, reason }: Parameters<FifoQueue['sendDead']>[0]): Promise<void> {
    const { connection, onRequest } = this.#parts;
    onRequest('sqs', 'SendMessage', {});
    const sentAtMs = connection.nowMs;
    return connection.write(() => bury(connection, { queue: this.name, messageId, groupId, body, reason, sentAtMs }));
  }

  #addAll(messages: readonly OutgoingMessage[]): void {
    const { connection } = this.#parts;
    const nowMs = connection.nowMs;
    for (const { body, groupId, deduplicationId } of messages) {
      const [forgottenMs, futureMs] = [nowMs - DEDUPLICATION_MS, nowMs + STEP_TOLERANCE_MS];
      const isNew = connection.run(REMEMBER, this.name, deduplicationId, nowMs, forgottenMs, futureMs).changes > 0;
      if (isNew) addMessage(this.#parts, this.name, groupId, body);
    }
  }

  /** A look costs no transaction: most looks find nothing. */
  async #takeIfReady(
    options: Parameters<QueueReceiver['receive']>[0],
    receivedAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ReceivedMessage[]> {
    const { connection } = this.#parts;
    await this.#mendTimes();
    const isReady = await connection.read(
      () => connection.get<{ ready: number }>(ANY_READY, this.name, connection.nowMs)?.ready === 1,
      signal,
    );
    if (!isReady) return [];
    return await connection.write(() => this.#take(options, receivedAtMs), { signal });
  }

  #mendTimes(): Promise<void> {
    const { connection, steps } = this.#parts;
    return steps.mend(() => connection.write(() => showWhatComesFromTheFuture(connection)));
  }

  #take(options: Parameters<QueueReceiver['receive']>[0], receivedAtMs: number): ReceivedMessage[] {
    const { connection } = this.#parts;
    const { nowMs } = connection;
    const receive: Receive = {
      maxMessages: Math.min(options.maxMessages, MAX_BATCH_ENTRIES),
      nowMs,
      hiddenUntilMs: Math.ceil(nowMs + options.visibilitySeconds * 1_000),
      receivedAtMs,
      taken: [],
    };
    connection.run(SHOW_GROUPS, this.name, nowMs);
    // Again while groups gave out nothing but dead letters.
    while (receive.taken.length === 0) {
      const groups = connection.all<{ group_id: string }>(READY_GROUPS, this.name, receive.maxMessages);
      if (groups.length === 0) break;
      for (const { group_id } of groups) {
        if (receive.taken.length < receive.maxMessages) this.#takeGroup(group_id, receive);
      }
    }
    return receive.taken;
  }

  /** A group's messages in order, until there are enough. Those that were received too often become dead letters. */
  #takeGroup(groupId: string, receive: Receive): void {
    const { connection, maxReceiveCount } = this.#parts;
    const before = receive.taken.length;
    for (let after = 0; receive.taken.length < receive.maxMessages; ) {
      const wanted = receive.maxMessages - receive.taken.length;
      const rows = connection.all<MessageRow>(HEAD, this.name, groupId, after, wanted);
      if (rows.length === 0) break;
      for (const row of rows) {
        after = row.id;
        if (row.receive_count < maxReceiveCount) this.#hide(row, receive);
        else this.#bury(row);
      }
    }
    if (receive.taken.length === before) connection.run(END_GROUP, this.name, groupId);
    else connection.run(HIDE_GROUP, receive.hiddenUntilMs, this.name, groupId);
  }

  #hide(row: MessageRow, { nowMs, hiddenUntilMs, receivedAtMs, taken }: Receive): void {
    const { connection, receiver } = this.#parts;
    connection.run(HIDE, hiddenUntilMs, nowMs, receiver, row.id);
    const receiveCount = row.receive_count + 1;
    taken.push({
      messageId: messageIdOf(row.id),
      receiptHandle: receiptHandle(row.id, receiveCount),
      body: row.body,
      groupId: row.group_id,
      receiveCount,
      sentAtMs: row.sent_at,
      receivedAtMs,
    });
  }

  #bury({ id, group_id: groupId, body, sent_at: sentAtMs }: MessageRow): void {
    const { connection } = this.#parts;
    bury(connection, { queue: this.name, messageId: messageIdOf(id), groupId, body, reason: null, sentAtMs });
    connection.run(DELETE, id);
  }

  #find(handle: string): { message: MessageRow | undefined; isCurrent: boolean } {
    const { connection } = this.#parts;
    const parsed = parseHandle(handle);
    const message = parsed === undefined ? undefined : connection.get<MessageRow>(FIND, parsed.id, this.name);
    const isInFlight = (message?.hidden_until ?? 0) > connection.nowMs;
    return { message, isCurrent: isInFlight && message?.receive_count === parsed?.receiveCount };
  }

  /** After messages of a group changed. All in flight are among its first, since only a group without any gives some out. */
  #refresh(groupId: string): void {
    const { connection } = this.#parts;
    const head = connection.all<MessageRow>(HEAD, this.name, groupId, 0, MAX_BATCH_ENTRIES);
    if (head.length === 0) {
      connection.run(END_GROUP, this.name, groupId);
      return;
    }
    const hiddenUntilMs = Math.max(...head.map(({ hidden_until }) => hidden_until ?? 0));
    const isHidden = hiddenUntilMs > connection.nowMs;
    connection.run(SET_GROUP, isHidden ? hiddenUntilMs : null, this.name, groupId);
  }

  #countBatches(operation: string, entries: number): void {
    for (let sent = 0; sent < entries; sent += MAX_BATCH_ENTRIES) this.#parts.onRequest('sqs', operation, {});
  }
}

/** Adds a message at the end of its group. Runs within `write`. */
export function addMessage({ connection }: QueueParts, queue: string, groupId: string, body: string): void {
  const { lastId } = connection.run(ADD, queue, groupId, body, connection.nowMs);
  connection.run(BEGIN_GROUP, queue, groupId, lastId);
}

/** Names the message among all messages of all queues of the file. */
function messageIdOf(id: number): string {
  return `fifo-${id}`;
}

/** SQS refuses a message that is too large; those of its group behind it must wait for it. */
function refuse({ body, groupId }: OutgoingMessage, refusedGroups: Set<string>): SendResult {
  if (refusedGroups.has(groupId)) {
    return { accepted: false, error: new InfrastructureError('not sent: an earlier message of its group was refused') };
  }
  if (Buffer.byteLength(body) <= MAX_MESSAGE_BYTES) return { accepted: true };
  refusedGroups.add(groupId);
  const error = new InfrastructureError(`a message of more than ${MAX_MESSAGE_BYTES} bytes was refused`);
  return { accepted: false, error };
}
