import { z } from 'zod';
import type { MessageFailures } from '../../ports/state-store.ts';
import { FAILURES_KEPT_MS, failuresKey } from '../state-keys.ts';
import { type ItemTable, parseBody, type StoredItem } from './item-table.ts';

/** The item of a message that failed. It expires. */
const documentSchema = z.looseObject({ count: z.number() });

export class SqliteMessageFailures implements MessageFailures {
  readonly #items: ItemTable;

  constructor(items: ItemTable) {
    this.#items = items;
  }

  countFailure(message: string, nowMs: number): Promise<number> {
    return this.#items.connection.write(() => {
      const key = failuresKey(message);
      const before = this.#items.find(key);
      const count = countOf(before) + 1;
      this.#items.put(key, before, { body: { count }, expiresAtMs: Math.ceil(nowMs + FAILURES_KEPT_MS) });
      this.#items.onRequest('dynamodb', 'UpdateItem', {});
      return count;
    });
  }
}

/** An unreadable count starts again at 0, so the message fails a few times more. */
function countOf(item: StoredItem | undefined): number {
  try {
    return item === undefined ? 0 : parseBody(documentSchema, item).count;
  } catch {
    return 0;
  }
}
