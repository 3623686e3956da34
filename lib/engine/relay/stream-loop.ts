import type { WatchStream } from '../watch/watch-stream.ts';
import { type ConnectionEnd, connectionEnd, type EndReason } from './connection-end.ts';
import { Delivery } from './delivery.ts';
import { followWatch } from './follow-watch.ts';
import { IncarnationChangedError } from './incarnation.ts';
import { relist } from './relist.ts';
import { type HoldResources, StreamConnection } from './stream-connection.ts';

/**
 * The states of a stream:
 * ```
 *            +--> resume --+
 *   claim ---+             +--> watch ---> claim
 *     ^      +--> list ----+
 *     |
 *   wait <--- any of them, when it fails
 * ```
 */
type StreamState =
  /** Reads the incarnation and claims the checkpoint. This fences older relays off the checkpoint. */
  | { readonly at: 'claim'; readonly relist: boolean }
  /** Checks whether the server has reached the checkpoint: a watch from a later version would stay silent. */
  | { readonly at: 'resume'; readonly connection: StreamConnection; readonly from: string }
  | { readonly at: 'list'; readonly connection: StreamConnection; readonly below: string | undefined }
  | { readonly at: 'watch'; readonly connection: StreamConnection; readonly from: string; readonly sinceMs: number }
  | { readonly at: 'wait'; readonly delayMs: number; readonly relist: boolean };

/** The cluster gave no answer. */
const UNANSWERED: ReadonlySet<EndReason> = new Set<EndReason>(['Unreachable', 'Timeout']);
/** Load balancers cut single connections of a healthy cluster. */
const FAILURES_TO_TELL = 3;

/** Runs one stream, whatever happens to it and to the other streams. */
export class StreamLoop {
  readonly #resources: HoldResources;
  readonly #stream: WatchStream;
  readonly #delivery: Delivery;
  #failures = 0;
  #condition: 'unknown' | 'alive' | EndReason = 'unknown';

  constructor(resources: HoldResources, stream: WatchStream) {
    this.#resources = resources;
    this.#stream = stream;
    this.#delivery = new Delivery(resources.deps, resources.options, resources.hold, stream.kind.id);
  }

  /** Runs until the signal aborts or the hold is lost; never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    let state: StreamState = { at: 'claim', relist: false };
    while (!this.#hasEnded(stop)) {
      try {
        state = await this.#step(state, stop);
      } catch (error) {
        await close(state);
        if (!this.#hasEnded(stop)) state = this.#failed(state, error);
      }
    }
    await close(state);
  }

  async #step(state: StreamState, stop: AbortSignal): Promise<StreamState> {
    switch (state.at) {
      case 'claim':
        return await this.#claim(state.relist, stop);
      case 'resume':
        return await this.#resume(state);
      case 'list': {
        const from = await relist(state.connection, state.below);
        await state.connection.checkpointer.advance(from);
        return this.#watch(state.connection, from);
      }
      case 'watch':
        await followWatch(state.connection, state.from, () => this.#alive());
        // A watch that the relay itself ended shows nothing about the server.
        if (this.#hasEnded(stop)) return state;
        await close(state);
        return this.#ended(state.sinceMs);
      case 'wait':
        await this.#resources.deps.clock.sleep(state.delayMs, stop).catch(() => {});
        return { at: 'claim', relist: state.relist };
    }
  }

  async #claim(mustRelist: boolean, stop: AbortSignal): Promise<StreamState> {
    const { deps, hold, incarnation } = this.#resources;
    incarnation.adopt((await deps.store.readCluster(deps.cluster)).incarnation);
    const { fenced, checkpoint } = await deps.store.claimCheckpoint(deps.cluster, this.#stream.id, hold.epoch);
    if (fenced) hold.lose('a newer relay claimed its checkpoints');
    const connection = new StreamConnection(this.#resources, this.#stream, this.#delivery, stop);
    // A checkpoint of another incarnation shows nothing about this one: versions may have gone back and been assigned
    // again.
    const from = checkpoint?.incarnation === connection.incarnation ? checkpoint.resourceVersion : undefined;
    if (from === undefined || mustRelist) return { at: 'list', connection, below: from };
    return { at: 'resume', connection, from };
  }

  async #resume({ connection, from }: Extract<StreamState, { at: 'resume' }>): Promise<StreamState> {
    const { kind, namespace, labelSelector } = this.#stream;
    const probe = await this.#resources.deps.api.list(kind.type, {
      metadataOnly: true,
      limit: 1,
      skipUnreadable: true,
      signal: connection.signal,
      ...(namespace === '' ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
    await connection.verifyNotRestored(probe.resourceVersion, from);
    return this.#watch(connection, from);
  }

  #watch(connection: StreamConnection, from: string): StreamState {
    return { at: 'watch', connection, from, sinceMs: this.#resources.deps.clock.monotonic() };
  }

  #alive(): void {
    if (this.#condition !== 'unknown' && this.#condition !== 'alive') {
      this.#resources.deps.logger.info('the kind is watched again', {
        stream: this.#stream.id,
        after: this.#condition,
      });
    }
    this.#condition = 'alive';
  }

  /** The server ended the watch as requested. If a watch ends too soon, the relay waits before it connects again. */
  #ended(sinceMs: number): StreamState {
    const { deps, options } = this.#resources;
    if (deps.clock.monotonic() - sinceMs >= options.healthyMs) {
      this.#failures = 0;
      this.#measure('Ended');
      return { at: 'claim', relist: false };
    }
    this.#failures += 1;
    const end = connectionEnd(undefined, this.#failures, options, deps.entropy.random());
    return this.#waitAfter({ ...end, reason: 'EndedEarly' }, undefined);
  }

  #failed(state: StreamState, error: unknown): StreamState {
    const { deps, options } = this.#resources;
    if (state.at === 'watch' && deps.clock.monotonic() - state.sinceMs >= options.healthyMs) this.#failures = 0;
    this.#failures += 1;
    const end = connectionEnd(error, this.#failures, options, deps.entropy.random());
    // Counts as a failure, so that a cluster that is found restored again and again is not listed without a pause.
    if (isOutdated(state)) return this.#waitAfter({ ...end, reason: 'Restored', relist: false }, error);
    // A relist that failed is still due.
    const relistIsDue = state.at === 'list' && state.below !== undefined;
    return this.#waitAfter({ ...end, relist: end.relist || relistIsDue }, error);
  }

  #waitAfter({ reason, delayMs, relist: mustRelist }: ConnectionEnd, error: unknown): StreamState {
    this.#measure(reason);
    if (this.#condition !== reason) {
      const fields = { stream: this.#stream.id, reason };
      const { logger } = this.#resources.deps;
      // A version that is too old is normal, and a restore was already reported. The kind is listed again.
      if (reason === 'Expired' || reason === 'Restored') logger.info('the kind is listed again', fields);
      else if (reason === 'KindMissing') this.#resources.missing.add(this.#stream.kind.id);
      else if (error === undefined) logger.warn('the watch of a kind ends too soon and will be tried again', fields);
      else logger.error('a kind cannot be watched and will be tried again', error, fields);
    }
    this.#condition = reason;
    return { at: 'wait', delayMs, relist: mustRelist };
  }

  #measure(reason: EndReason): void {
    const { deps } = this.#resources;
    deps.metrics.record('RelayReconnect', 1, { Cluster: deps.cluster, Kind: this.#stream.kind.id, Reason: reason });
    if (!UNANSWERED.has(reason) || this.#failures < FAILURES_TO_TELL) return;
    deps.metrics.record('ClusterUnanswered', 1, { Cluster: deps.cluster });
  }

  #hasEnded(stop: AbortSignal): boolean {
    return stop.aborted || this.#resources.hold.signal.aborted;
  }
}

/** The work was aborted because its incarnation ended, whatever error this caused. */
function isOutdated(state: StreamState): boolean {
  return 'connection' in state && state.connection.signal.reason instanceof IncarnationChangedError;
}

async function close(state: StreamState): Promise<void> {
  if ('connection' in state) await state.connection.close();
}
