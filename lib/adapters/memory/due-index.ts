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
  readonly key: TableKey;
  readonly entry: Entry | undefined;
  readonly shownFromMs: number;
}

/** The timers of one shard that the index shows. */
interface Shard {
  readonly entries: Map<string, Entry>;
  /** No timer is due before this. So a query that finds nothing does not read all timers. */
  earliestMs: number;
}

/** The index over timers. It shows writes to the items `lagMs` later, as an eventually consistent index does. */
export class DueIndex {
  /** The delay after which the index shows a write. Changes keep their order. */
  lagMs = 0;
  readonly #clock: Clock;
  readonly #shards: number;
  readonly #pageSize: number;
  readonly #shown: readonly Shard[];
  #pending: Change[] = [];

  constructor(options: { clock: Clock; shards: number; pageSize: number }) {
    this.#clock = options.clock;
    this.#shards = options.shards;
    this.#pageSize = options.pageSize;
    this.#shown = Array.from({ length: options.shards }, () => ({ entries: new Map(), earliestMs: Infinity }));
  }

  /** Sets or removes the timer of the item at `key`. */
  put(key: TableKey, dueAtMs: number | undefined): void {
    const id = `${key.pk}|${key.sk}`;
    const entry = dueAtMs === undefined ? undefined : { id, key, dueAtMs };
    this.#pending.push({ id, key, entry, shownFromMs: this.#clock.monotonic() + this.lagMs });
    this.#show((change) => change.shownFromMs <= this.#clock.monotonic());
  }

  /** Makes the index show all writes up to now. */
  catchUp(): void {
    this.#show(() => true);
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    const kept = this.#shown.map(({ entries }) => [...entries.values()]);
    const pending = this.#pending;
    return () => {
      this.#shown.forEach((shard, number) => {
        shard.entries.clear();
        for (const entry of kept[number] ?? []) add(shard, entry);
      });
      this.#pending = pending;
    };
  }

  query(shard: number, untilMs: number, after?: string): Page<DueHint> {
    this.#show((change) => change.shownFromMs <= this.#clock.monotonic());
    const ofShard = this.#shown[shard];
    if (ofShard === undefined || ofShard.earliestMs > untilMs) return { items: [] };
    ofShard.earliestMs = earliest(ofShard.entries);
    const from = after === undefined ? undefined : (JSON.parse(after) as Pick<Entry, 'id' | 'dueAtMs'>);
    const due = [...ofShard.entries.values()]
      .filter((entry) => entry.dueAtMs <= untilMs)
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
      const shard = this.#shown[dueShard(change.key, this.#shards)];
      if (shard === undefined) throw new Error('a timer has no shard');
      if (change.entry === undefined) shard.entries.delete(change.id);
      else add(shard, change.entry);
    }
    if (shown > 0) this.#pending = this.#pending.slice(shown);
  }
}

function add(shard: Shard, entry: Entry): void {
  shard.entries.set(entry.id, entry);
  shard.earliestMs = Math.min(shard.earliestMs, entry.dueAtMs);
}

function earliest(entries: ReadonlyMap<string, Entry>): number {
  let first = Infinity;
  for (const { dueAtMs } of entries.values()) first = Math.min(first, dueAtMs);
  return first;
}

function byDeadline(a: Pick<Entry, 'id' | 'dueAtMs'>, b: Pick<Entry, 'id' | 'dueAtMs'>): number {
  return a.dueAtMs - b.dueAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
