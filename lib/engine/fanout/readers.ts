import type { EdgeKey } from '../../core/observation.ts';
import { targetId } from '../../core/target.ts';
import type { Edge, EdgeStore } from '../../ports/state-store.ts';
import type { Registry } from '../registry.ts';

/** The readers of an object by controller group, or 'many' when there are too many for one event each. */
export type ReadersByGroup = ReadonlyMap<string, readonly Edge[] | 'many'>;

export interface ReaderDependencies {
  readonly store: EdgeStore;
  readonly registry: Registry;
  /** A group with more readers than this has many. */
  readonly directReaders: number;
}

/** The readers of one key. It stops reading as soon as it is known which groups have many. */
export async function readersOf(
  deps: ReaderDependencies,
  cluster: string,
  key: EdgeKey,
  groups?: readonly string[],
): Promise<ReadersByGroup> {
  const { store, registry, directReaders } = deps;
  const few = new ReaderCount(deps);
  if (groups === undefined) {
    const { items, next } = await store.readers(cluster, key, { limit: directReaders + 1 });
    if (next === undefined) {
      for (const edge of items) few.add(edge);
      return few.byGroup();
    }
  }
  for (const group of groups ?? registry.groups()) {
    for (const kind of registry.kindsOf(group)) {
      let next: string | undefined;
      do {
        const behind = next === undefined ? {} : { next };
        const page = await store.readers(cluster, key, { kind, limit: directReaders + 1, ...behind });
        for (const edge of page.items) few.add(edge);
        next = page.next;
      } while (next !== undefined && !few.isMany(group));
      if (few.isMany(group)) break;
    }
  }
  return few.byGroup();
}

/** Counts the readers of an object by group, and keeps those of a group until there are many. */
export class ReaderCount {
  readonly #registry: Registry;
  readonly #directReaders: number;
  readonly #groups = new Map<string, Map<string, Edge> | 'many'>();

  constructor({ registry, directReaders }: Omit<ReaderDependencies, 'store'>) {
    this.#registry = registry;
    this.#directReaders = directReaders;
  }

  /** An edge of a kind that no installed controller reconciles is ignored. */
  add(edge: Edge): void {
    const group = this.#registry.controllerOf(edge.reader.kind)?.group;
    if (group === undefined) return;
    const readers = this.#groups.get(group) ?? new Map<string, Edge>();
    if (readers === 'many') return;
    readers.set(targetId(edge.reader), edge);
    this.#groups.set(group, readers.size > this.#directReaders ? 'many' : readers);
  }

  addAll(others: ReadersByGroup): void {
    for (const [group, readers] of others) {
      if (readers === 'many') this.#groups.set(group, 'many');
      else for (const edge of readers) this.add(edge);
    }
  }

  isMany(group: string): boolean {
    return this.#groups.get(group) === 'many';
  }

  byGroup(): ReadersByGroup {
    return new Map(
      [...this.#groups].map(([group, readers]) => [group, readers === 'many' ? readers : [...readers.values()]]),
    );
  }
}
