import { DEDUPLICATION_MS, type OutgoingMessage, type QueueReceiver, type ReceivedMessage } from '../../ports/queue.ts';
import { MAX_BATCH_ENTRIES } from '../send-batches.ts';
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
  READY_GROUPS,
  REMEMBER,
  SET_GROUP,
  SET_HIDDEN,
  SHOW_GROUPS,
} from './fifo-statements.ts';
import { bury, parseHandle, type QueueParts, receiptHandle } from './sqlite-queues.ts';

interface MessageRow {
  readonly id: number;
  readonly group_id: string;
  readonly body: string;
  readonly sent_at: number;
  readonly receive_count: number;
  readonly hidden_until: number | null;
}

/** One receive, and the messages that it has received so far. */
interface Receive {
  readonly maxMessages: number;
  readonly nowMs: number;
  readonly hiddenUntilMs: number;
  readonly receivedAtMs: number;
  readonly taken: ReceivedMessage[];
}

/**
 * The rows of one FIFO queue. They show which message groups can deliver a message, and which messages are in flight. A
 * method that changes messages also changes the row of their message group. Every method runs within `write`; `isReady`
 * may also run within `read`.
 */
export class FifoMessageGroups {
  readonly #queue: string;
  readonly #parts: QueueParts;

  constructor(queue: string, parts: QueueParts) {
    this.#queue = queue;
    this.#parts = parts;
  }

  /** Whether a receive would find a message. */
  isReady(): boolean {
    const { connection } = this.#parts;
    return connection.get<{ ready: number }>(ANY_READY, this.#queue, connection.nowMs)?.ready === 1;
  }

  /** Adds the messages whose deduplication ids are not remembered. */
  addAll(messages: readonly OutgoingMessage[]): void {
    const { connection } = this.#parts;
    const nowMs = connection.nowMs;
    for (const { body, messageGroupId, deduplicationId } of messages) {
      const [forgottenMs, futureMs] = [nowMs - DEDUPLICATION_MS, nowMs + STEP_TOLERANCE_MS];
      const isNew = connection.run(REMEMBER, this.#queue, deduplicationId, nowMs, forgottenMs, futureMs).changes > 0;
      if (isNew) addMessage(this.#parts, this.#queue, messageGroupId, body);
    }
  }

  /** Returns messages and hides them. */
  take(options: Parameters<QueueReceiver['receive']>[0], receivedAtMs: number): ReceivedMessage[] {
    const { connection } = this.#parts;
    const { nowMs } = connection;
    const receive: Receive = {
      maxMessages: Math.min(options.maxMessages, MAX_BATCH_ENTRIES),
      nowMs,
      hiddenUntilMs: Math.ceil(nowMs + options.visibilitySeconds * 1_000),
      receivedAtMs,
      taken: [],
    };
    connection.run(SHOW_GROUPS, this.#queue, nowMs);
    // Repeats while the message groups returned only dead letters.
    while (receive.taken.length === 0) {
      const groups = connection.all<{ group_id: string }>(READY_GROUPS, this.#queue, receive.maxMessages);
      if (groups.length === 0) break;
      for (const { group_id } of groups) {
        if (receive.taken.length < receive.maxMessages) this.#takeMessageGroup(group_id, receive);
      }
    }
    return receive.taken;
  }

  /**
   * The messages of a message group in order, up to the limit. A message that was received too often becomes a dead
   * letter.
   */
  #takeMessageGroup(messageGroupId: string, receive: Receive): void {
    const { connection, maxReceiveCount } = this.#parts;
    const before = receive.taken.length;
    for (let after = 0; receive.taken.length < receive.maxMessages; ) {
      const wanted = receive.maxMessages - receive.taken.length;
      const rows = connection.all<MessageRow>(HEAD, this.#queue, messageGroupId, after, wanted);
      for (const row of rows) {
        after = row.id;
        if (row.receive_count < maxReceiveCount) this.#hide(row, receive);
        else this.#bury(row);
      }
      if (rows.length < wanted) break;
    }
    if (receive.taken.length === before) connection.run(END_GROUP, this.#queue, messageGroupId);
    else connection.run(HIDE_GROUP, receive.hiddenUntilMs, this.#queue, messageGroupId);
  }

  #hide(row: MessageRow, { nowMs, hiddenUntilMs, receivedAtMs, taken }: Receive): void {
    const { connection, receiver } = this.#parts;
    connection.run(HIDE, hiddenUntilMs, nowMs, receiver, row.id);
    const receiveCount = row.receive_count + 1;
    taken.push({
      messageId: messageIdOf(row.id),
      receiptHandle: receiptHandle(row.id, receiveCount),
      body: row.body,
      messageGroupId: row.group_id,
      receiveCount,
      sentAtMs: row.sent_at,
      receivedAtMs,
    });
  }

  #bury({ id, group_id: messageGroupId, body, sent_at: sentAtMs }: MessageRow): void {
    const { connection } = this.#parts;
    bury(connection, { queue: this.#queue, messageId: messageIdOf(id), messageGroupId, body, reason: null, sentAtMs });
    connection.run(DELETE, id);
  }

  /** @returns the handles that are not valid any more. Their messages stay. */
  delete(receiptHandles: readonly string[]): string[] {
    const { connection } = this.#parts;
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
  }

  hideFor(receiptHandles: readonly string[], seconds: number): void {
    const { connection } = this.#parts;
    const nowMs = connection.nowMs;
    const groups = new Set<string>();
    for (const handle of receiptHandles) {
      const { message, isCurrent } = this.#find(handle);
      if (message === undefined || !isCurrent) continue;
      connection.run(SET_HIDDEN, Math.ceil(nowMs + seconds * 1_000), nowMs, message.id);
      groups.add(message.group_id);
    }
    for (const group of groups) this.#refresh(group);
  }

  #find(handle: string): { message: MessageRow | undefined; isCurrent: boolean } {
    const { connection } = this.#parts;
    const parsed = parseHandle(handle);
    const message = parsed === undefined ? undefined : connection.get<MessageRow>(FIND, parsed.id, this.#queue);
    const isInFlight = (message?.hidden_until ?? 0) > connection.nowMs;
    return { message, isCurrent: isInFlight && message?.receive_count === parsed?.receiveCount };
  }

  /**
   * Runs after messages of a message group changed. All messages in flight are among its first messages, because a
   * message group with a message in flight delivers no other message.
   */
  #refresh(messageGroupId: string): void {
    const { connection } = this.#parts;
    const head = connection.all<MessageRow>(HEAD, this.#queue, messageGroupId, 0, MAX_BATCH_ENTRIES);
    if (head.length === 0) {
      connection.run(END_GROUP, this.#queue, messageGroupId);
      return;
    }
    const hiddenUntilMs = Math.max(...head.map(({ hidden_until }) => hidden_until ?? 0));
    const isHidden = hiddenUntilMs > connection.nowMs;
    connection.run(SET_GROUP, isHidden ? hiddenUntilMs : null, this.#queue, messageGroupId);
  }
}

/** Adds a message at the end of its message group. Runs within `write`. */
export function addMessage({ connection }: QueueParts, queue: string, messageGroupId: string, body: string): void {
  const { lastId } = connection.run(ADD, queue, messageGroupId, body, connection.nowMs);
  connection.run(BEGIN_GROUP, queue, messageGroupId, lastId);
}

/** A name that is unique among all messages of all queues of the file. */
function messageIdOf(id: number): string {
  return `fifo-${id}`;
}
