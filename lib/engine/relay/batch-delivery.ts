import type { QueueMessage } from '../../core/event.ts';
import { selectEvents, selectWakeups, type Wakeup } from '../fanout/wakeup.ts';
import { recordWideChanges } from '../fanout/wide-change.ts';
import type { Affected } from './affected.ts';
import { Overflow } from './overflow.ts';
import type { StreamConnection } from './stream-connection.ts';

/** Batches that may have events held back at once: beyond, the next one waits. */
const MAX_HELD_BACK = 8;

type Connection = Pick<StreamConnection, 'deps' | 'options' | 'delivery' | 'checkpointer' | 'pace' | 'signal'>;

interface Batch {
  readonly number: number;
  readonly resourceVersion: string;
  /** How much of it the queue has not accepted yet. */
  open: number;
  accepted: boolean;
}

/**
 * Sends what batches of watch events lead to, and moves the checkpoint past every batch that the queue has accepted whole,
 * with all before it.
 *
 * A pass's own status write shows in the watch before the pass has committed, and is not covered until then. So what
 * meets a running pass is looked at once more, a moment later, before it is sent: otherwise many a pass under load
 * would cost a message more. Nothing rests on that moment: who waits in vain is sent all the same. The batches after it
 * do not wait.
 */
export class BatchDelivery {
  readonly #connection: Connection;
  readonly #onFailure: (error: unknown) => void;
  readonly #heldBack = new Set<Promise<void>>();
  readonly #overflow: Overflow;
  #count = 0;
  #batches: Batch[] = [];

  /** @param onFailure called when what was held back cannot be sent, so that no more is read; `settle` throws the same. */
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
    // One small message an object and round: it comes before a flood, and its round decides by which lane it goes.
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

  /** Resolves when nothing is held back any more. @throws what kept it from being sent. */
  async settle(): Promise<void> {
    // In this order: what was held back may still be beyond its namespace's pace.
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

  /** What is beyond its namespace's pace is sent later; the batch stays open for it. */
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

  /** One part of the batch was accepted. */
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
