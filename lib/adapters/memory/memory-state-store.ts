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
  /** Read for the index's lag only: what is stored is what callers say. */
  readonly clock: Clock;
  readonly shards?: number;
  /** Items a page. */
  readonly pageSize?: number;
  readonly onRequest?: OnRequest;
}

/** The table in memory, for simulations and fast tests: atomic, deterministic, and with an index that may lag. */
export class MemoryStateStore extends ComposedStateStore {
  readonly #index: DueIndex;
  readonly #targets: MemoryTargetStore;
  readonly #edges: MemoryEdgeStore;
  readonly #polls: MemoryPollStore;

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
  }

  /** How long after a write the index over deadlines shows it, for writes from now on. */
  set indexLagMs(lagMs: number) {
    this.#index.lagMs = lagMs;
  }

  /** Lets the index over deadlines show every write up to now. */
  catchUpIndex(): void {
    this.#index.catchUp();
  }

  /** All items as they are, read without a request: for invariants to be checked on. */
  contents(): { targets: TargetState[]; edges: Edge[]; polls: PollState[] } {
    return { targets: [...this.#targets.all()], edges: [...this.#edges.all()], polls: [...this.#polls.all()] };
  }
}
