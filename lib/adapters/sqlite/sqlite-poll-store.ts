import { z } from 'zod';
import { ItemError } from '../../core/errors.ts';
import type { PollKey, PollState, PollStore } from '../../ports/state-store.ts';
import { dueShard, pollKey } from '../state-keys.ts';
import { type ItemTable, parseBody, type StoredItem, UnreadableItem } from './item-table.ts';

/** The item of a poll: the fields of PollState, with the same names. */
const documentSchema = z.looseObject({
  version: z.number().optional(),
  counter: z.number(),
  intervalMs: z.number(),
  dueAtMs: z.number(),
  dueSetAtMs: z.number().optional(),
  wakeSent: z.boolean(),
});

type PollFields = Omit<PollState, 'poll'>;

export class SqlitePollStore implements PollStore {
  readonly #items: ItemTable;
  readonly #shards: number;

  constructor(items: ItemTable, shards: number) {
    this.#items = items;
    this.#shards = shards;
  }

  touchPoll(poll: PollKey, nowMs: number, intervalMs: number): Promise<void> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(pollKey(poll));
      const before = item === undefined ? undefined : readIfReadable(poll, item);
      // An unreadable poll starts from the beginning, with a counter that it never had before.
      const counter = before?.counter ?? (item === undefined ? 0 : nowMs);
      const dueAtMs = Math.min(before?.dueAtMs ?? Number.POSITIVE_INFINITY, nowMs + intervalMs);
      const isKept = before !== undefined && dueAtMs === before.dueAtMs;
      // The requests are counted as for a table, which needs two to set the timer and refuses the first one.
      if (!isKept) this.#items.onRequest('dynamodb', 'UpdateItem', { refused: true });
      const dueSetAtMs = isKept ? before.dueSetAtMs : nowMs;
      this.#put(poll, item, {
        counter: counter + 1,
        intervalMs,
        dueAtMs,
        ...(dueSetAtMs !== undefined && { dueSetAtMs }),
        wakeSent: isKept && before.wakeSent,
      });
    });
  }

  readPoll(poll: PollKey): Promise<PollState | undefined> {
    return this.#items.connection.read(() => {
      this.#items.onRequest('dynamodb', 'GetItem', {});
      const item = this.#items.find(pollKey(poll));
      return item === undefined ? undefined : readPollItem(poll, item);
    });
  }

  savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number): Promise<boolean> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(pollKey(read.poll));
      const before = item === undefined ? undefined : readPollItem(read.poll, item);
      if (before === undefined || before.version !== read.version || before.counter !== read.counter) {
        this.#items.onRequest('dynamodb', 'UpdateItem', { refused: true });
        return false;
      }
      const { poll: _poll, version: _version, ...rest } = before;
      const seen = version !== undefined && { version };
      this.#put(read.poll, item, { ...rest, ...seen, dueAtMs, dueSetAtMs: nowMs, wakeSent: true });
      return true;
    });
  }

  deletePoll(poll: PollKey, counter: number): Promise<boolean> {
    return this.#items.connection.write(() => {
      const item = this.#items.find(pollKey(poll));
      const refused = item === undefined || readPollItem(poll, item).counter !== counter;
      this.#items.onRequest('dynamodb', 'DeleteItem', { refused, deadline: !refused });
      if (!refused) this.#items.remove(pollKey(poll));
      return !refused;
    });
  }

  #put(poll: PollKey, item: StoredItem | undefined, fields: PollFields): void {
    const key = pollKey(poll);
    const due = { shard: dueShard(key, this.#shards), atMs: fields.dueAtMs };
    this.#items.put(key, item, { body: fields, due });
    this.#items.onRequest('dynamodb', 'UpdateItem', { deadline: item?.due_at !== fields.dueAtMs });
  }
}

function readIfReadable(poll: PollKey, item: StoredItem): PollState | undefined {
  try {
    return readPollItem(poll, item);
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
}

/** @throws ItemError that names the poll. */
function readPollItem(poll: PollKey, item: StoredItem): PollState {
  try {
    const { version, counter, intervalMs, dueAtMs, dueSetAtMs, wakeSent } = parseBody(documentSchema, item);
    return {
      poll: { ...poll },
      ...(version !== undefined && { version }),
      counter,
      intervalMs,
      dueAtMs,
      ...(dueSetAtMs !== undefined && { dueSetAtMs }),
      wakeSent,
    };
  } catch (error) {
    if (!(error instanceof UnreadableItem)) throw error;
    const { pk, sk } = pollKey(poll);
    throw new ItemError(
      `the item of poll ${pk} ${sk} cannot be read: ${error.message}. Delete the item and request a pass of a reader`,
      { cause: error },
    );
  }
}
