import { UsageError } from '../usage-error.ts';
import { OBJECT_STATES, type ObjectPage, type ObjectRow, type ObjectState } from './api-types.ts';
import { type ConsoleSource, frameOf } from './console-source.ts';
import { FirstItems, scan, typesOf } from './inventory-scan.ts';
import { objectRow } from './object-row.ts';

const PAGE_ROWS = 50;
const SORTS = ['name', 'lastPass', 'next', 'failures'] as const;

type Sort = (typeof SORTS)[number];

export interface ListQuery {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  /** A part of the name, namespace, reason or condition. */
  readonly text?: string | undefined;
  readonly state?: string | undefined;
  readonly sort?: string | undefined;
  /** The field `next` of the previous page. */
  readonly after?: string | undefined;
}

/**
 * One page of a list, filtered and sorted by the server. It reads the whole inventory, and keeps at most two pages
 * (R-5.18).
 * @throws UsageError for an invalid query.
 */
export async function listObjects(source: ConsoleSource, query: ListQuery): Promise<ObjectPage> {
  const { inspection } = source;
  const sort = sortOf(query.sort);
  const matches = filterOf(query);
  const after = query.after === undefined ? undefined : cursorOf(query.after);
  const first = new FirstItems<{ row: ObjectRow; key: string }>(PAGE_ROWS + 1, (a, b) => (a.key < b.key ? -1 : 1));
  const beganMs = inspection.clock.monotonic();
  let selected = 0;
  for await (const { type, target } of scan(inspection, typesOf(inspection, query.kind))) {
    const row = objectRow(target, type, inspection);
    if (!matches(row)) continue;
    selected += 1;
    const key = sortKey(row, sort);
    if (after === undefined || key > after) first.offer({ row, key });
  }
  const found = first.sorted();
  const rows = found.slice(0, PAGE_ROWS);
  const last = rows.at(-1);
  return {
    ...frameOf(source, inspection.clock.monotonic() - beganMs),
    rows: rows.map(({ row }) => row),
    selected,
    ...(found.length > PAGE_ROWS && last !== undefined && { next: Buffer.from(last.key).toString('base64url') }),
  };
}

function sortOf(word = 'name'): Sort {
  const sort = SORTS.find((known) => known === word);
  if (sort === undefined) throw new UsageError(`a list is sorted by ${SORTS.join(', ')}.`);
  return sort;
}

function cursorOf(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function filterOf({ namespace, text, state }: ListQuery): (row: ObjectRow) => boolean {
  const states = (state ?? '').split(',').filter((word) => word !== '');
  for (const word of states)
    if (!OBJECT_STATES.includes(word as ObjectState))
      throw new UsageError(`"${word}" is no state. The states are: ${OBJECT_STATES.join(', ')}.`);
  const wanted = (text ?? '').trim().toLowerCase();
  return (row) => {
    if (namespace !== undefined && namespace !== '' && row.namespace !== namespace) return false;
    if (states.length > 0 && !states.includes(row.counted)) return false;
    if (wanted === '') return true;
    const { name, reason, condition = '', kind } = row;
    return [name, row.namespace, reason, condition, kind].some((part) => part.toLowerCase().includes(wanted));
  };
}

/** A text with the same order as the list. It ends in the object's UID, so it is unique. */
function sortKey(row: ObjectRow, sort: Sort): string {
  const { kind, namespace, name, uid } = row;
  return [first(row, sort), namespace, name, kind, uid].join('\u0000');
}

function first({ lastPassAt, nextAt, failures }: ObjectRow, sort: Sort): string {
  switch (sort) {
    case 'name':
      return '';
    case 'lastPass':
      // The latest first.
      return descending(lastPassAt === undefined ? 0 : Date.parse(lastPassAt));
    case 'next':
      return nextAt ?? '~';
    case 'failures':
      return descending(failures);
  }
}

function descending(amount: number): string {
  return String(Number.MAX_SAFE_INTEGER - amount).padStart(16, '0');
}
