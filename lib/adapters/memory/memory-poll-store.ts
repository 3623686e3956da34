import type { PollKey, PollState, PollStore } from '../../ports/state-store.ts';
import { pollKey } from '../state-keys.ts';
import type { MemoryTableOptions } from './memory-target-store.ts';
import { Partitions } from './partitions.ts';

export class MemoryPollStore implements PollStore {
  readonly #table: MemoryTableOptions;
  readonly #items = new Partitions<PollState>();

  constructor(table: MemoryTableOptions) {
    this.#table = table;
  }

  async touchPoll(poll: PollKey, nowMs: number, intervalMs: number): Promise<void> {
    const before = this.#items.get(pollKey(poll));
    const dueAtMs = Math.min(before?.dueAtMs ?? Number.POSITIVE_INFINITY, nowMs + intervalMs);
    // A table needs two requests to set the timer, and refuses the first one.
    const kept = before !== undefined && dueAtMs === before.dueAtMs;
    if (!kept) this.#table.onRequest('dynamodb', 'UpdateItem', { refused: true });
    const wakeSent = kept && before.wakeSent;
    const dueSetAtMs = kept ? before.dueSetAtMs : nowMs;
    this.#put(before, {
      poll: { ...poll },
      counter: (before?.counter ?? 0) + 1,
      intervalMs,
      dueAtMs,
      ...(dueSetAtMs !== undefined && { dueSetAtMs }),
      wakeSent,
    });
  }

  async readPoll(poll: PollKey): Promise<PollState | undefined> {
    this.#table.onRequest('dynamodb', 'GetItem', {});
    return this.#items.get(pollKey(poll));
  }

  async savePoll(read: PollState, version: number | undefined, dueAtMs: number, nowMs: number): Promise<boolean> {
    const before = this.#items.get(pollKey(read.poll));
    if (before === undefined || before.version !== read.version || before.counter !== read.counter) {
      this.#table.onRequest('dynamodb', 'UpdateItem', { refused: true });
      return false;
    }
    const { version: _version, ...rest } = before;
    const seen = version !== undefined && { version };
    this.#put(before, { ...rest, ...seen, dueAtMs, dueSetAtMs: nowMs, wakeSent: true });
    return true;
  }

  async deletePoll(poll: PollKey, counter: number): Promise<boolean> {
    const key = pollKey(poll);
    const refused = this.#items.get(key)?.counter !== counter;
    this.#table.onRequest('dynamodb', 'DeleteItem', { refused, deadline: !refused });
    if (refused) return false;
    this.#items.delete(key);
    this.#table.index.put(key, undefined);
    return true;
  }

  /** All polls, for checks of invariants. */
  all(): Iterable<PollState> {
    return this.#items.all();
  }

  /** As Partitions.backUp. */
  backUp(): () => void {
    return this.#items.backUp();
  }

  #put(before: PollState | undefined, after: PollState): void {
    const deadline = before?.dueAtMs !== after.dueAtMs;
    this.#table.onRequest('dynamodb', 'UpdateItem', { deadline });
    this.#items.set(pollKey(after.poll), Object.freeze(after));
    if (deadline) this.#table.index.put(pollKey(after.poll), after.dueAtMs);
  }
}
