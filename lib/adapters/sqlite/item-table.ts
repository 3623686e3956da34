import type { z } from 'zod';
import { ItemError } from '../../core/errors.ts';
import type { OnRequest } from '../request-observer.ts';
import type { TableKey } from '../state-keys.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * The size limit of an item in bytes, as in a DynamoDB table, so that everything that works on one machine also works
 * in the cloud.
 */
const MAX_ITEM_BYTES = 400 * 1024;
/** A page ends with the item that exceeds this number of bytes. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** An item in its stored form. */
export interface StoredItem {
  readonly body: string;
  readonly due_shard: number | null;
  readonly due_at: number | null;
  readonly expires_at: number | null;
}

/** An item to store. `body` is any JSON object. */
export interface NewItem {
  readonly body: object;
  /** Absent for an item without a timer. */
  readonly due?: { readonly shard: number; readonly atMs: number } | undefined;
  /** When the item may be removed. */
  readonly expiresAtMs?: number | undefined;
}

export interface PageQuery {
  /** Returns only sort keys with this prefix; all by default. */
  readonly prefix?: string;
  /** Returns only sort keys after this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ListedItem extends StoredItem {
  readonly sk: string;
}

export interface DueItem {
  readonly due_at: number;
  readonly pk: string;
  readonly sk: string;
}

const FIND = 'SELECT body, due_shard, due_at, expires_at FROM item WHERE pk = ? AND sk = ?';
const INSERT = 'INSERT INTO item (body, due_shard, due_at, expires_at, pk, sk) VALUES (?, ?, ?, ?, ?, ?)';
/** This statement does not change the indexes. */
const UPDATE_BODY = 'UPDATE item SET body = ? WHERE pk = ? AND sk = ?';
const UPDATE = 'UPDATE item SET body = ?, due_shard = ?, due_at = ?, expires_at = ? WHERE pk = ? AND sk = ?';
const DELETE = 'DELETE FROM item WHERE pk = ? AND sk = ?';
const PAGE =
  'SELECT sk, body, due_shard, due_at, expires_at FROM item WHERE pk = ? AND sk > ? AND sk < ? ORDER BY sk LIMIT ?';
const DUE =
  'SELECT due_at, pk, sk FROM item WHERE due_shard = ? AND due_at <= ? AND (due_at, pk, sk) > (?, ?, ?) ORDER BY due_at, pk, sk';
const EXPIRE = 'DELETE FROM item WHERE id IN (SELECT id FROM item WHERE expires_at < ? ORDER BY expires_at LIMIT 500)';

/** Is larger than every character of a key, in the order of bytes. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * The item under a key is not in the form that this package writes. The text names the place in the item, never the
 * content.
 */
export class UnreadableItem extends Error {}

/** The items of the table. Its methods run within `read` or `write` of the connection. */
export class ItemTable {
  readonly connection: SqliteConnection;
  readonly onRequest: OnRequest;

  constructor(connection: SqliteConnection, onRequest: OnRequest) {
    this.connection = connection;
    this.onRequest = onRequest;
  }

  find({ pk, sk }: TableKey): StoredItem | undefined {
    return this.connection.get<StoredItem>(FIND, pk, sk);
  }

  /**
   * @param before the result of `find` in the same transaction.
   * @returns the stored body.
   * @throws ItemError for an item that is too large.
   */
  put({ pk, sk }: TableKey, before: StoredItem | undefined, { body, due, expiresAtMs }: NewItem): string {
    const text = JSON.stringify(body);
    if (text.length > MAX_ITEM_BYTES || Buffer.byteLength(text) > MAX_ITEM_BYTES) {
      throw new ItemError(`the item ${pk} ${sk} would exceed 400 KB: record fewer versions and edges`, {
        data: { length: text.length },
      });
    }
    const shard = due?.shard ?? null;
    const dueAt = due?.atMs ?? null;
    const expiresAt = expiresAtMs ?? null;
    if (before === undefined) this.connection.run(INSERT, text, shard, dueAt, expiresAt, pk, sk);
    else if (before.due_shard === shard && before.due_at === dueAt && before.expires_at === expiresAt) {
      this.connection.run(UPDATE_BODY, text, pk, sk);
    } else this.connection.run(UPDATE, text, shard, dueAt, expiresAt, pk, sk);
    return text;
  }

  remove({ pk, sk }: TableKey): void {
    this.connection.run(DELETE, pk, sk);
  }

  /** Items of a partition, ordered by the bytes of their sort keys. `next` is the last sort key, when there are more. */
  page(pk: string, { prefix = '', after = '', limit = 1_000 }: PageQuery): { items: ListedItem[]; next?: string } {
    // No sort key is a prefix itself.
    const from = after > prefix ? after : prefix;
    const rows = this.connection.iterate<ListedItem>(PAGE, pk, from, prefix + LAST_CHARACTER, limit + 1);
    const { items, isCut } = firstPage(rows, limit, ({ sk, body }) => pk.length + sk.length + body.length);
    const last = items.at(-1);
    return isCut && last !== undefined ? { items, next: last.sk } : { items };
  }

  /** Timers of a shard that are due at or before a time, earliest first. */
  due(shard: number, untilMs: number, after: DueItem | undefined): { items: DueItem[]; last?: DueItem } {
    const from = after ?? { due_at: Number.NEGATIVE_INFINITY, pk: '', sk: '' };
    const rows = this.connection.iterate<DueItem>(DUE, shard, untilMs, from.due_at, from.pk, from.sk);
    const { items, isCut } = firstPage(rows, 1_000, ({ pk, sk }) => pk.length + sk.length);
    const last = items.at(-1);
    return isCut && last !== undefined ? { items, last } : { items };
  }

  /** @returns whether more items are left to remove. */
  expire(nowMs: number): boolean {
    return this.connection.run(EXPIRE, Math.floor(nowMs)).changes > 0;
  }
}

function firstPage<Row>(rows: Iterable<Row>, limit: number, sizeOf: (row: Row) => number) {
  const items: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (items.length === limit || bytes > MAX_PAGE_BYTES) return { items, isCut: true };
    items.push(row);
    bytes += sizeOf(row);
  }
  return { items, isCut: false };
}

/** @throws UnreadableItem that names the field, and shows no value. */
export function parseBody<Body>(schema: z.ZodType<Body>, { body }: Pick<StoredItem, 'body'>): Body {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new UnreadableItem('it is not JSON');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.slice(0, 1).join('.') ?? '';
  throw new UnreadableItem(`its ${path === '' ? 'content' : path} is not what is written there`);
}
