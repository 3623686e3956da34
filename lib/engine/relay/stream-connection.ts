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

/** What all streams of one hold share. */
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
 * From a stream's claim of its checkpoint to the end of its watch: one incarnation, and one signal that aborts all of it
 * when the relay stops, loses its hold, or the incarnation ends.
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
   * Asked after the server answered and before anything it said is used: was the cluster restored in between?
   * @param listVersion of a list of this kind, if there was one, and the checkpoint it must not be below.
   * @throws IncarnationChangedError when it was.
   */
  async verifyNotRestored(listVersion?: string, checkpoint?: string): Promise<void> {
    // The counter first: it accounts for the restore, which the version alone would have it find a second time.
    await this.#resources.witness.check();
    this.signal.throwIfAborted();
    const version = versionNumber(listVersion);
    const reached = versionNumber(checkpoint);
    if (version === undefined || reached === undefined || version >= reached) return;
    const evidence = `the version of the ${this.stream.id} list is ${version}, and ${reached} was reached`;
    await this.#resources.incarnation.end(this.incarnation, evidence);
    this.signal.throwIfAborted();
  }

  /** The server showed signs of life. */
  beat(count: number): void {
    this.deps.metrics.record('RelayHeartbeat', count, { Cluster: this.deps.cluster, Kind: this.stream.kind.id });
  }

  /** Records what was accepted and lets go of the signals. */
  async close(): Promise<void> {
    this.#abort[Symbol.dispose]();
    await this.checkpointer.flush();
  }
}
