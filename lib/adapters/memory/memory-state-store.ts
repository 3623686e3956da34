import type { Clock } from '../../ports/clock.ts';
import type { Edge, PollState, TargetState } from '../../ports/state-store.ts';
import { ComposedStateStore } from '../composed-state-store.ts';
import type { OnRequest } from '../request-observer.ts';
import { DueIndex } from './due-index.ts';
import { MemoryClusterStore } from './memory-cluster-store.ts';
import { MemoryEdgeStore } from './memory-edge-store.ts';
import { MemoryFanoutStore } from './memory-fanout-store.ts';
import { MemoryMessageFailures } from './memory-message-failures.ts';
import { MemoryPollStore } from './memory-poll-store.ts';
import { MemoryTargetStore } from './memory-target-store.ts';

export interface MemoryStateStoreOptions {
  /** Used only for the lag of the index. Stored times come from the callers. */
  readonly clock: Clock;
  readonly shards?: number;
  /** The number of items on a page. */
  readonly pageSize?: number;
  readonly onRequest?: OnRequest;
}

/** The table in memory, for simulations and fast tests. It is atomic and deterministic, and its index may lag. */
export class MemoryStateStore extends ComposedStateStore {
  readonly #index: DueIndex;
  readonly #targets: MemoryTargetStore;
  readonly #edges: MemoryEdgeStore;
  readonly #polls: MemoryPollStore;
  readonly #parts: readonly { backUp(): () => void }[];

  constructor({ clock, shards = 4, pageSize = 100, onRequest = () => {} }: MemoryStateStoreOptions) {
    const index = new DueIndex({ clock, shards, pageSize });
    const table = { shards, pageSize, index, onRequest };
    const parts = {
      targets: new MemoryTargetStore(table),
      edges: new MemoryEdgeStore(table),
      polls: new MemoryPollStore(table),
      fanouts: new MemoryFanoutStore(table),
      clusters: new MemoryClusterStore(onRequest),
      failures: new MemoryMessageFailures(onRequest),
    };
    super(parts);
    this.#index = index;
    this.#targets = parts.targets;
    this.#edges = parts.edges;
    this.#polls = parts.polls;
    this.#parts = [parts.targets, parts.edges, parts.polls, parts.fanouts, parts.clusters, index];
  }

  /** The delay after which the index over timers shows a write. It applies to later writes. */
  set indexLagMs(lagMs: number) {
    this.#index.lagMs = lagMs;
  }

  /** Makes the index over timers show all writes up to now. */
  catchUpIndex(): void {
    this.#index.catchUp();
  }

  /**
   * Remembers the whole table. @returns a function that puts it back in place of the table at that time, as a person
   * may do.
   */
  backUp(): () => void {
    const putBack = this.#parts.map((part) => part.backUp());
    return () => {
      for (const part of putBack) part();
    };
  }

  /** All items in their present state, read without a request, for checks of invariants. */
  contents(): { targets: TargetState[]; edges: Edge[]; polls: PollState[] } {
    return { targets: [...this.#targets.all()], edges: [...this.#edges.all()], polls: [...this.#polls.all()] };
  }
}
