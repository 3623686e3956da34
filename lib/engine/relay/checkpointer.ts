import type { Incarnation } from './incarnation.ts';
import type { RelayHold } from './relay-hold.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';

/**
 * Records how far the queue has accepted the events of one stream, and no further. It belongs to one connection and
 * its incarnation. When another connection begins, the pending checkpoint is dropped.
 */
export class Checkpointer {
  readonly #deps: Pick<RelayDependencies, 'cluster' | 'store' | 'clock' | 'logger'>;
  readonly #options: Pick<RelayOptions, 'checkpointEveryMs'>;
  readonly #hold: RelayHold;
  readonly #incarnation: Incarnation;
  readonly #madeIn: number;
  readonly #stream: string;
  #pending: string | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #lastWrite: Promise<void> = Promise.resolve();
  /** The write that waits for the last one. When its turn comes, it uses the newest version. */
  #nextWrite: Promise<void> | undefined;

  constructor(
    deps: Pick<RelayDependencies, 'cluster' | 'store' | 'clock' | 'logger'>,
    options: Pick<RelayOptions, 'checkpointEveryMs'>,
    hold: RelayHold,
    incarnation: Incarnation,
    stream: string,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#hold = hold;
    this.#incarnation = incarnation;
    this.#madeIn = incarnation.current;
    this.#stream = stream;
  }

  /**
   * The queue accepted everything up to this version. At most one write in an interval stores it; `flush` writes the
   * rest.
   */
  async advance(resourceVersion: string): Promise<void> {
    this.#pending = resourceVersion;
    const sinceMs = this.#deps.clock.monotonic() - this.#writtenAtMs;
    if (sinceMs >= this.#options.checkpointEveryMs) await this.flush();
  }

  /**
   * Writes the pending checkpoint after the write before it has ended. With two writes at once, the older version could
   * arrive last. Never rejects.
   */
  flush(): Promise<void> {
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined;
      return this.#write();
    });
    this.#lastWrite = this.#nextWrite;
    return this.#nextWrite;
  }

  /** The stream continues when the table does not answer, because the next write also covers this one. */
  async #write(): Promise<void> {
    const resourceVersion = this.#pending;
    if (resourceVersion === undefined || this.#madeIn !== this.#incarnation.current || !this.#hold.isHeld) return;
    const { cluster, store, clock, logger } = this.#deps;
    this.#writtenAtMs = clock.monotonic();
    const checkpoint = { incarnation: this.#madeIn, resourceVersion, heartbeatMs: clock.now() };
    try {
      const saved = await store.saveCheckpoint(cluster, this.#stream, this.#hold.epoch, checkpoint);
      if (!saved) this.#hold.lose('a newer relay claimed its checkpoints');
      else if (this.#pending === resourceVersion) this.#pending = undefined;
    } catch (error) {
      logger.error('a checkpoint could not be written and will be tried again', error, { stream: this.#stream });
    }
  }
}
