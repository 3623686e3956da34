import { UsageError } from '../usage-error.ts';
import type { ObjectPage } from './api-types.ts';
import type { ConsoleReads } from './console-reads.ts';
import { objectFilter } from './object-filter.ts';

/** The number of rows of an answer, where the request names none. */
const PAGE_ROWS = 50;
const MAX_ROWS = 200;

/**
 * A part of a list, filtered and sorted by the server.
 * @param query a filter, and `from` and `rows`: the position of the first row, and how many are wanted.
 * @throws UsageError for an invalid query.
 */
export async function listObjects(
  { inventory, frame }: ConsoleReads,
  query: Readonly<Record<string, string>>,
): Promise<ObjectPage> {
  const { from, rows, ...rest } = query;
  const filter = objectFilter.parse(rest);
  const first = numberOf(from, 0, Number.MAX_SAFE_INTEGER, 'from');
  const most = numberOf(rows, PAGE_ROWS, MAX_ROWS, 'rows');
  const { value, nextMs } = await inventory.latest();
  const selected = value.select(filter);
  return {
    ...frame(nextMs),
    readAt: value.tallied.readAt,
    kinds: value.tallied.kinds.map(({ kind, kindId }) => ({ kind, kindId })),
    from: first,
    rows: selected.slice(first, first + most),
    selected: selected.length,
    notListed: value.notListed,
  };
}

function numberOf(text: string | undefined, absent: number, most: number, name: string): number {
  if (text === undefined) return absent;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number <= most) return number;
  throw new UsageError(`"${name}" of a list is a number from 0 to ${most}.`);
}
