import type { Clock } from '../../ports/clock.ts';
import type { DueHint, Page } from '../../ports/state-store.ts';
import { dueShard, parseDueKey, type TableKey } from '../state-keys.ts';

interface Entry {
  readonly id: string;
  readonly key: TableKey;
  readonly dueAtMs: number;
}

interface Change {
  readonly id: string;
  readonly entry: Entry | undefined;
  readonly shownFromMs: number;
}

/** The index over timers. It shows writes to the items `lagMs` later, as an eventually consistent index does. */
export class DueIndex {
  /** The delay after which the index shows a write. Changes keep their order. */
  lagMs = 0;
  readonly #clock: Clock;
  readonly #shards: number;
  readonly #pageSize: number;
  readonly #entries = new Map<string, Entry>();
  #pending: Change[] = [];

  constructor(options: { clock: Clock; shards: number; pageSize: number }) {
    this.#clock = options.clock;
    this.#shards = options.shards;
    this.#pageSize = options.pageSize;
  }

  /** Sets or removes the timer of the item at `key`. */
  put(key: TableKey, dueAtMs: number | undefined): void {
    const id = `${key.pk}|${key.sk}`;
    const entry = dueAtMs === undefined ? undefined : { id, key, dueAtMs };
    this.#pending.push({ id, entry, shownFromMs: this.#clock.monotonic() + this.lagMs });
    this.#show((change) => change.shownFromMs <= this.#clock.monotonic());
  }

  /** Makes the index show all writes up to now. */
  catchUp(): void {
    this.#show(() => true);
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    const kept = [...this.#entries];
    const pending = this.#pending;
    return () => {
      this.#entries.clear();
      for (const [id, entry] of kept) this.#entries.set(id, entry);
      this.#pending = pending;
    };
  }

  query(shard: number, untilMs: number, after?: string): Page<DueHint> {
    this.#show((change) => change.shownFromMs <= this.#clock.monotonic());
    const from = after === undefined ? undefined : (JSON.parse(after) as Pick<Entry, 'id' | 'dueAtMs'>);
    const due = [...this.#entries.values()]
      .filter((entry) => entry.dueAtMs <= untilMs && dueShard(entry.key, this.#shards) === shard)
      .filter((entry) => from === undefined || byDeadline(entry, from) > 0)
      .sort(byDeadline);
    const shown = due.slice(0, this.#pageSize);
    const last = shown.at(-1);
    const items = shown.flatMap((entry) => parseDueKey(entry.key, entry.dueAtMs) ?? []);
    if (last === undefined || due.length === shown.length) return { items };
    return { items, next: JSON.stringify({ id: last.id, dueAtMs: last.dueAtMs }) };
  }

  #show(ripe: (change: Change) => boolean): void {
    let shown = 0;
    for (const change of this.#pending) {
      if (!ripe(change)) break;
      shown += 1;
      if (change.entry === undefined) this.#entries.delete(change.id);
      else this.#entries.set(change.id, change.entry);
    }
    if (shown > 0) this.#pending = this.#pending.slice(shown);
  }
}

function byDeadline(a: Pick<Entry, 'id' | 'dueAtMs'>, b: Pick<Entry, 'id' | 'dueAtMs'>): number {
  return a.dueAtMs - b.dueAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
