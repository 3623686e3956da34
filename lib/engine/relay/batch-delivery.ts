import type { QueueMessage } from '../../core/event.ts';
import { selectEvents, selectWakeups, type Wakeup } from '../fanout/wakeup.ts';
import { recordWideChanges } from '../fanout/wide-change.ts';
import type { Affected } from './affected.ts';
import { Overflow } from './overflow.ts';
import type { StreamConnection } from './stream-connection.ts';

/** At most this many batches may have events held back at once. The next batch waits. */
const MAX_HELD_BACK = 8;

type Connection = Pick<StreamConnection, 'deps' | 'options' | 'delivery' | 'checkpointer' | 'pace' | 'signal'>;

interface Batch {
  readonly number: number;
  readonly resourceVersion: string;
  /** The number of events of the batch that the queue has not accepted yet. */
  open: number;
  accepted: boolean;
}

/**
 * Sends the events of watch batches. It moves the checkpoint past a batch when the queue has accepted all events of
 * this batch and of all batches before it.
 * The watch shows the status write of a pass before the pass has committed, and until then the event does not count as
 * observed. So an event that meets a running pass waits a moment and is checked again before it is sent. Otherwise many
 * passes under load would cost one more message. The delay is only an optimization: events that are still not observed
 * are sent in any case. The batches after it do not wait.
 */
export class BatchDelivery {
  readonly #connection: Connection;
  readonly #onFailure: (error: unknown) => void;
  readonly #heldBack = new Set<Promise<void>>();
  readonly #overflow: Overflow;
  #count = 0;
  #batches: Batch[] = [];

  /**
   * @param onFailure called when the held-back events cannot be sent, so that the caller reads no more; `settle` throws the
   * same error.
   */
  constructor(connection: Connection, onFailure: (error: unknown) => void) {
    this.#connection = connection;
    this.#onFailure = onFailure;
    this.#overflow = new Overflow(connection, onFailure);
  }

  /**
   * Resolves when the next batch may come.
   * @param resourceVersion of the batch's last event.
   * @throws RelayLostError; the signal's reason.
   */
  async deliver({ wakeups, wide }: Affected, resourceVersion: string): Promise<void> {
    const { deps, options } = this.#connection;
    this.#count += 1;
    const batch = { number: this.#count, resourceVersion, open: 1, accepted: false };
    this.#batches.push(batch);
    const { events, inPass } = await selectWakeups(deps, wakeups, {
      nowMs: deps.clock.now(),
      terms: options.targetLease,
    });
    // One small message for each object and round. It is sent before the flood of events to the readers, and its round
    // decides which lane these use.
    const rounds = await recordWideChanges(deps, wide, deps.clock.now(), false);
    await this.#send([...events, ...rounds], batch);
    await this.#overflow.room();
    if (inPass.length === 0) return await this.#accepted(batch);
    const looking = this.#lookAgain(inPass, batch);
    this.#heldBack.add(looking);
    const forget = () => this.#heldBack.delete(looking);
    looking.then(forget, this.#onFailure);
    if (this.#heldBack.size >= MAX_HELD_BACK) await Promise.race(this.#heldBack);
  }

  /**
   * Resolves when nothing is held back any more.
   * @throws the error that kept an event from being sent.
   */
  async settle(): Promise<void> {
    // In this order, because held-back events may still exceed the pace of their namespace.
    const heldBack = await Promise.allSettled(this.#heldBack);
    const overflow = await Promise.allSettled([this.#overflow.settle()]);
    const failed = [...heldBack, ...overflow].find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #lookAgain(inPass: readonly Wakeup[], batch: Batch): Promise<void> {
    const { deps, options, signal } = this.#connection;
    await deps.clock.sleep(options.passGraceMs, signal);
    await this.#send(await selectEvents(deps, inPass), batch);
    await this.#accepted(batch);
  }

  /** Events that exceed the pace of their namespace are sent later. The batch stays open until then. */
  async #send(events: readonly QueueMessage[], batch: Batch): Promise<void> {
    const { deps, delivery, pace, signal } = this.#connection;
    const nowMs = deps.clock.now();
    const prompt: QueueMessage[] = [];
    for (const event of events) {
      if (pace.admits(event.namespace, nowMs)) {
        prompt.push(event);
      } else {
        batch.open += 1;
        await this.#overflow.put({ event, batch: batch.number, onAccepted: () => this.#accepted(batch) });
      }
    }
    await delivery.deliver('events', prompt, signal);
  }

  /** The queue accepted one part of the batch. */
  async #accepted(batch: Batch): Promise<void> {
    batch.open -= 1;
    if (batch.open > 0) return;
    batch.accepted = true;
    const open = this.#batches.findIndex(({ accepted }) => !accepted);
    const done = this.#batches.splice(0, open === -1 ? this.#batches.length : open);
    const last = done.at(-1);
    if (last !== undefined) await this.#connection.checkpointer.advance(last.resourceVersion);
  }
}
