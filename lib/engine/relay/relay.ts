import { TargetScope } from '../fanout/target-scope.ts';
import { LinkedAbort } from '../linked-abort.ts';
import { type WatchStream, watchStreams } from '../watch/watch-stream.ts';
import { Incarnation } from './incarnation.ts';
import { MissingKinds } from './missing-kinds.ts';
import { NamespacePace } from './namespace-pace.ts';
import { RelayHold } from './relay-hold.ts';
import { DEFAULT_RELAY_OPTIONS, type RelayDependencies, type RelayOptions } from './relay-options.ts';
import { RestoreWitness } from './restore-witness.ts';
import type { HoldResources } from './stream-connection.ts';
import { StreamLoop } from './stream-loop.ts';

/**
 * Sends an event for each change in one cluster (docs/architecture.md, "The relay"). Any number of relays may run for a
 * cluster: one holds the lease and works, the others stand by.
 */
export class Relay {
  readonly #deps: RelayDependencies;
  readonly #options: RelayOptions;
  readonly #scope: TargetScope;
  readonly #streams: readonly WatchStream[];

  /** @throws EvenkeelError INVALID_SELECTOR */
  constructor({ options, ...deps }: RelayDependencies & { options?: Partial<RelayOptions> }) {
    this.#deps = { ...deps, logger: deps.logger.with({ cluster: deps.cluster }) };
    this.#options = { ...DEFAULT_RELAY_OPTIONS, ...options };
    this.#scope = new TargetScope(deps.scope);
    this.#streams = watchStreams(deps.registry, deps.scope);
  }

  /**
   * Works or stands by until the signal aborts. Then it stops, records its checkpoints, frees its lease and resolves. Never
   * rejects: every failure is retried.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let hold: RelayHold;
      try {
        hold = await RelayHold.acquire(this.#deps, this.#options, signal);
      } catch {
        // Only the signal ends the wait.
        return;
      }
      this.#deps.logger.info('the relay holds the cluster', { epoch: hold.epoch });
      await this.#work(hold, signal);
      await this.#release(hold);
      // Waits, so that a hold that is lost again and again costs little.
      await this.#deps.clock.sleep(this.#options.standbyPollMs, signal).catch(() => {});
    }
  }

  /** All work of one hold, until it is lost or the signal aborts. */
  async #work(hold: RelayHold, signal: AbortSignal): Promise<void> {
    using stop = new LinkedAbort(signal, hold.signal);
    const incarnation = new Incarnation(this.#deps, 0);
    const witness = new RestoreWitness(this.#deps, this.#options, hold, incarnation);
    const missing = new MissingKinds(this.#deps, stop.signal);
    const pace = new NamespacePace(this.#options.namespacePace);
    const own = { deps: this.#deps, options: this.#options, scope: this.#scope };
    const resources = { ...own, hold, incarnation, witness, missing, pace };
    await Promise.all([
      hold.keep(stop.signal),
      this.#raise(resources, stop.signal),
      this.#follow(resources, stop.signal),
    ]);
    if (hold.signal.aborted) this.#deps.logger.error('the relay stops', hold.signal.reason);
  }

  /** Watches all streams while the cluster is not paused, and reads its state in the table repeatedly. */
  async #follow(resources: HoldResources, stop: AbortSignal): Promise<void> {
    let watching: { readonly abort: LinkedAbort; readonly done: Promise<unknown> } | undefined;
    while (!stop.aborted) {
      const cluster = await this.#readCluster();
      if (cluster !== undefined) {
        resources.incarnation.adopt(cluster.incarnation);
        if (cluster.paused && watching !== undefined) {
          watching.abort.abort();
          await watching.done;
          watching = undefined;
        } else if (!cluster.paused && watching === undefined) {
          const abort = new LinkedAbort(stop);
          const loops = this.#streams.map((stream) => new StreamLoop(resources, stream).run(abort.signal));
          watching = { abort, done: Promise.all(loops).finally(() => abort[Symbol.dispose]()) };
        }
      }
      await this.#deps.clock.sleep(this.#options.clusterPollMs, stop).catch(() => {});
    }
    await watching?.done;
  }

  async #raise({ witness }: HoldResources, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const everyMs = this.#options.raiseEveryMs * (0.75 + this.#deps.entropy.random() / 2);
      await this.#deps.clock.sleep(everyMs, stop).catch(() => {});
      if (stop.aborted) return;
      try {
        await witness.raise();
      } catch (error) {
        this.#deps.logger.error('the restore counter was not raised and will be tried again', error);
      }
    }
  }

  async #readCluster() {
    try {
      return await this.#deps.store.readCluster(this.#deps.cluster);
    } catch (error) {
      this.#deps.logger.error('the state of the cluster could not be read and will be tried again', error);
      return undefined;
    }
  }

  async #release(hold: RelayHold): Promise<void> {
    try {
      await hold.release();
    } catch (error) {
      this.#deps.logger.error('the relay could not release its lease: the next relay waits until it expires', error);
    }
  }
}
