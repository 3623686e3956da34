import type { Clock } from '../../ports/clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** How often the file is looked at for what other processes wrote, while anybody waits for messages. */
const LOOK_MS = 50;

/** The reason of an abort that only wakes a receiver. It is caught where it is thrown. */
const WOKEN = 'woken';

/**
 * Lets receivers wait for messages of any queue. Those of this process are announced; for those of other processes one
 * loop looks at the file's version, which costs a few microseconds.
 */
export class Arrivals {
  readonly #connection: SqliteConnection;
  readonly #waiting = new Set<() => void>();
  #announced = 0;
  /** As the last look found it: what was written before the next look begins is noticed too. */
  #dataVersion = -1;
  #isLooking = false;
  #stop = new AbortController();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** How many announcements there were. */
  get announced(): number {
    return this.#announced;
  }

  announce(): void {
    this.#announced += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Resolves at the next announcement, after `ms`, or when the signal aborts.
   * @param seen the announcements up to when the receiver looked: a message that came since then is not waited for.
   */
  async wait(seen: number, clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.#announced !== seen) return;
    const woken = new AbortController();
    const wake = () => woken.abort(WOKEN);
    this.#waiting.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    this.#look(clock);
    try {
      await clock.sleep(ms, woken.signal);
    } catch (error) {
      if (error !== WOKEN) throw error;
    } finally {
      this.#waiting.delete(wake);
      signal?.removeEventListener('abort', wake);
      if (this.#waiting.size === 0) this.#stop.abort(WOKEN);
    }
  }

  #look(clock: Clock): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const look = async () => {
      while (this.#waiting.size > 0) {
        // The last receiver may have left, and another one come since: a sleep on an aborted signal would end at once, always.
        if (this.#stop.signal.aborted) this.#stop = new AbortController();
        await clock.sleep(LOOK_MS, this.#stop.signal).catch(() => {});
        const dataVersion = this.#readVersion();
        if (dataVersion === this.#dataVersion) continue;
        this.#dataVersion = dataVersion;
        this.announce();
      }
    };
    look().finally(() => {
      this.#isLooking = false;
      // Somebody may have begun to wait after the last look.
      if (this.#waiting.size > 0) this.#look(clock);
    });
  }

  /** -1 when the file is closed: the waiting receivers are woken, and their next request fails. */
  #readVersion(): number {
    try {
      return this.#connection.isOpen ? this.#connection.dataVersion() : -1;
    } catch {
      return -1;
    }
  }
}
