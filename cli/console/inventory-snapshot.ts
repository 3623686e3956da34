import type { Inspection } from '../inspection/inspection.ts';
import type { ObjectRow } from './api-types.ts';
import { scan } from './inventory-scan.ts';
import { InventoryTally, type Tallied } from './inventory-tally.ts';
import { type ObjectFilter, selectRows } from './object-filter.ts';
import { objectRow } from './object-row.ts';

/**
 * The most healthy rows that a snapshot keeps, and the most others: less than 500 bytes each. More are counted, and not
 * listed.
 */
const MAX_ROWS = 60_000;
/** Texts that all differ, such as ones with a number, would fill the memory a second time. */
const MAX_TEXTS = 10_000;
/** Selections that are kept: one for each open page, so that scrolling sorts nothing again. */
const MAX_SELECTIONS = 4;

/** The inventory of the cluster, as one read of the table found it. */
export class InventorySnapshot {
  readonly tallied: Tallied;
  readonly rows: readonly ObjectRow[];
  /** Objects that are counted and not listed. */
  readonly notListed: number;
  readonly #selections = new Map<string, readonly ObjectRow[]>();

  constructor(tallied: Tallied, rows: readonly ObjectRow[], notListed: number) {
    this.tallied = tallied;
    this.rows = rows;
    this.notListed = notListed;
  }

  /** The rows that a filter shows, in its order. */
  select(filter: ObjectFilter): readonly ObjectRow[] {
    const key = JSON.stringify(filter);
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const selected = selectRows(this.rows, filter);
    const [oldest] = this.#selections.keys();
    if (oldest !== undefined && this.#selections.size >= MAX_SELECTIONS) this.#selections.delete(oldest);
    this.#selections.set(key, selected);
    return selected;
  }

  /** The objects with this address: more than one when it was deleted and created again a short time ago. */
  named(kindId: string, namespace: string, name: string): readonly ObjectRow[] {
    return this.rows.filter((row) => row.name === name && row.namespace === namespace && row.kindId === kindId);
  }
}

/** Objects of these states need nothing from a person: they are the first that a very large list leaves out. */
const HEALTHY: ReadonlySet<string> = new Set(['ready', 'settled', 'running', 'unmanaged']);

/** Reads the whole inventory once. @param most healthy rows that are kept, and others. */
export async function readSnapshot(inspection: Inspection, most = MAX_ROWS): Promise<InventorySnapshot> {
  const tally = new InventoryTally(inspection);
  const shared = new SharedTexts();
  const healthy: ObjectRow[] = [];
  const others: ObjectRow[] = [];
  let notListed = 0;
  const types = inspection.kinds.map(({ type }) => type);
  for await (const { type, target } of scan(inspection, types)) {
    const row = shared.of(objectRow(target, type, inspection));
    tally.add(target, row);
    const kept = HEALTHY.has(row.counted) ? healthy : others;
    if (kept.length < most) kept.push(row);
    else notListed += 1;
  }
  return new InventorySnapshot(tally.result(), [...others, ...healthy], notListed);
}

/** Rows repeat the same few texts: equal ones are kept once. */
class SharedTexts {
  readonly #texts = new Map<string, string>();

  of({ message: _, ...row }: ReturnType<typeof objectRow>): ObjectRow {
    return {
      ...row,
      kindId: this.#shared(row.kindId),
      namespace: this.#shared(row.namespace),
      reason: this.#shared(row.reason),
      ...(row.condition !== undefined && { condition: this.#shared(row.condition) }),
      ...(row.nextWhy !== undefined && { nextWhy: this.#shared(row.nextWhy) }),
    };
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < MAX_TEXTS) this.#texts.set(text, text);
    return text;
  }
}
