import { versionNumber } from '../../core/observation.ts';
import type { Viewpoint } from '../fanout/seen-object.ts';
import type { TargetScope } from '../fanout/target-scope.ts';
import { LinkedAbort } from '../linked-abort.ts';
import type { WatchStream } from '../watch/watch-stream.ts';
import { Checkpointer } from './checkpointer.ts';
import type { Delivery } from './delivery.ts';
import type { Incarnation } from './incarnation.ts';
import type { MissingKinds } from './missing-kinds.ts';
import type { NamespacePace } from './namespace-pace.ts';
import type { RelayHold } from './relay-hold.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';
import type { RestoreWitness } from './restore-witness.ts';

/** The resources that all streams of one hold share. */
export interface HoldResources {
  readonly deps: RelayDependencies;
  readonly options: RelayOptions;
  readonly hold: RelayHold;
  readonly incarnation: Incarnation;
  readonly witness: RestoreWitness;
  readonly scope: TargetScope;
  readonly missing: MissingKinds;
  readonly pace: NamespacePace;
}

/**
 * Covers the time from the claim of a checkpoint to the end of the watch. It has one incarnation, and one signal that aborts
 * all of it when the relay stops, loses its hold, or the incarnation ends.
 */
export class StreamConnection {
  readonly deps: RelayDependencies;
  readonly options: RelayOptions;
  readonly stream: WatchStream;
  readonly view: Viewpoint;
  readonly incarnation: number;
  readonly signal: AbortSignal;
  readonly delivery: Delivery;
  readonly checkpointer: Checkpointer;
  readonly pace: NamespacePace;
  readonly #resources: HoldResources;
  readonly #abort: LinkedAbort;

  constructor(resources: HoldResources, stream: WatchStream, delivery: Delivery, stop: AbortSignal) {
    const { deps, options, hold, incarnation } = resources;
    this.#resources = resources;
    this.deps = deps;
    this.options = options;
    this.stream = stream;
    this.delivery = delivery;
    this.pace = resources.pace;
    this.view = { cluster: deps.cluster, registry: deps.registry, scope: resources.scope };
    this.incarnation = incarnation.current;
    this.#abort = new LinkedAbort(stop, hold.signal, incarnation.signal);
    this.signal = this.#abort.signal;
    this.checkpointer = new Checkpointer(deps, options, hold, incarnation, stream.id);
  }

  /**
   * Checks, after the server answered and before the answer is used, whether the cluster was restored in between.
   * @param listVersion the version of a list of this kind, if there was one, and the checkpoint that it must not be below.
   * @throws IncarnationChangedError when it was.
   */
  async verifyNotRestored(listVersion?: string, checkpoint?: string): Promise<void> {
    // Reads the counter first, because it accounts for the restore. Otherwise the version alone would find the same restore a
    // second time.
    await this.#resources.witness.check();
    this.signal.throwIfAborted();
    const version = versionNumber(listVersion);
    const reached = versionNumber(checkpoint);
    if (version === undefined || reached === undefined || version >= reached) return;
    const evidence = `the version of the ${this.stream.id} list is ${version}, and ${reached} was reached`;
    await this.#resources.incarnation.end(this.incarnation, evidence);
    this.signal.throwIfAborted();
  }

  /** The server answered or sent something. */
  beat(count: number): void {
    this.deps.metrics.record('RelayHeartbeat', count, { Cluster: this.deps.cluster, Kind: this.stream.kind.id });
  }

  /** Records how far the queue accepted events, and releases the signals. */
  async close(): Promise<void> {
    this.#abort[Symbol.dispose]();
    await this.checkpointer.flush();
  }
}
