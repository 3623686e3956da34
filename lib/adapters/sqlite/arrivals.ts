import type { Clock } from '../../ports/clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { WakeSockets } from './wake-sockets.ts';

/**
 * How often the file is checked for writes of other processes, while a receiver waits for messages. Only where no socket
 * wakes this process.
 */
const LOOK_MS = 50;

/** The reason of an abort that only wakes a receiver. The receiver catches it. */
const WOKEN = 'woken';

/**
 * Lets receivers wait for messages of any queue. This process announces its own messages, also to the other processes. Their
 * announcements come by a socket to a process that joined. In any other process, one loop reads the version of the file,
 * which costs a few microseconds.
 */
export class Arrivals {
  readonly sockets: WakeSockets;
  readonly #connection: SqliteConnection;
  readonly #waiting = new Set<() => void>();
  #announced = 0;
  /** The version at the last check, so that a write between two checks is noticed too. */
  #dataVersion = -1;
  #isLooking = false;
  #stop = new AbortController();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.sockets = new WakeSockets(connection, () => this.#wake());
  }

  /** How many announcements there were. */
  get announced(): number {
    return this.#announced;
  }

  /** Call it after a message was committed that can be received. */
  announce(): void {
    this.#wake();
    this.sockets.wakeOthers();
  }

  /** Wakes the receivers: the next request of each one fails, because the file is closed. */
  close(): void {
    this.sockets.close();
    this.#wake();
  }

  #wake(): void {
    this.#announced += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /**
   * Resolves at the next announcement, after `ms`, or when the signal aborts.
   * @param seen the number of announcements when the receiver looked: it does not wait for a message that came since then.
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
    if (this.#isLooking || this.sockets.isListening) return;
    this.#isLooking = true;
    const look = async () => {
      while (this.#waiting.size > 0 && !this.sockets.isListening) {
        // The last receiver may have left, and another one may have come since then. A sleep on an aborted signal would then
        // end at once, again and again.
        if (this.#stop.signal.aborted) this.#stop = new AbortController();
        await clock.sleep(LOOK_MS, this.#stop.signal).catch(() => {});
        const dataVersion = this.#readVersion();
        if (dataVersion === this.#dataVersion) continue;
        this.#dataVersion = dataVersion;
        this.#wake();
      }
    };
    look().finally(() => {
      this.#isLooking = false;
      // A receiver may have begun to wait after the last check.
      if (this.#waiting.size > 0) this.#look(clock);
    });
  }

  /** -1 when the file is closed. Then the waiting receivers wake up, and their next request fails. */
  #readVersion(): number {
    try {
      return this.#connection.isOpen ? this.#connection.dataVersion() : -1;
    } catch {
      return -1;
    }
  }
}
