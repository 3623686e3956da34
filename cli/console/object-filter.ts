import { z } from 'zod';
import { UsageError } from '../usage-error.ts';
import { OBJECT_STATES, type ObjectRow, type ObjectState } from './api-types.ts';

const SORTS = ['name', 'lastPass', 'next', 'failures'] as const;

type Sort = (typeof SORTS)[number];

/** What a list shows, and what an action for many objects is for. */
export const objectFilter = z.object({
  /** The id of a kind. */
  kind: z.string().optional(),
  namespace: z.string().optional(),
  /** A part of the name, namespace, reason, condition or kind. */
  text: z.string().optional(),
  /** One or more states, with commas between them. */
  state: z.string().optional(),
  sort: z.string().optional(),
});

export type ObjectFilter = z.infer<typeof objectFilter>;

/** @throws UsageError for an unknown state or order. */
export function selectRows(rows: readonly ObjectRow[], filter: ObjectFilter): ObjectRow[] {
  const sort = sortOf(filter.sort);
  const keyed = rows.filter(filterOf(filter)).map((row) => ({ row, key: sortKey(row, sort) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

function sortOf(word = 'name'): Sort {
  const sort = SORTS.find((known) => known === word);
  if (sort === undefined) throw new UsageError(`a list is sorted by ${SORTS.join(', ')}.`);
  return sort;
}

function filterOf({ kind = '', namespace = '', text = '', state = '' }: ObjectFilter): (row: ObjectRow) => boolean {
  const states = state.split(',').filter((word) => word !== '');
  for (const word of states)
    if (!OBJECT_STATES.includes(word as ObjectState))
      throw new UsageError(`"${word}" is no state. The states are: ${OBJECT_STATES.join(', ')}.`);
  const wanted = text.trim().toLowerCase();
  return (row) => {
    if (kind !== '' && row.kindId !== kind) return false;
    if (namespace !== '' && row.namespace !== namespace) return false;
    if (states.length > 0 && !states.includes(row.counted)) return false;
    if (wanted === '') return true;
    const { name, reason, condition = '' } = row;
    return [name, row.namespace, reason, condition, row.kind].some((part) => part.toLowerCase().includes(wanted));
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
