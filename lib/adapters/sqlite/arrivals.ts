import type { Clock } from '../../ports/clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { WakeSockets } from './wake-sockets.ts';

/**
 * How often the file is checked for writes of other processes while a receiver waits for messages. Used only when no
 * socket can wake this process.
 */
const LOOK_MS = 50;

/** The reason of an abort that only wakes a receiver. The receiver ignores it. */
const WOKEN = 'woken';

/**
 * Lets receivers wait for messages of any queue. This process announces its own messages, also to the other processes.
 * A process that joined gets their announcements by a socket. In any other process, one loop reads the version of the
 * file, which costs a few microseconds.
 */
export class Arrivals {
  readonly sockets: WakeSockets;
  readonly #connection: SqliteConnection;
  /** The receivers that wait, each with its queue. */
  readonly #waiting = new Map<() => void, string>();
  /** The number of announcements of each queue, without the announcements for all queues. */
  readonly #announced = new Map<string, number>();
  #announcedToAll = 0;
  /** The version at the last check, so that a write between two checks is noticed too. */
  #dataVersion = -1;
  #isLooking = false;
  #stop = new AbortController();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.sockets = new WakeSockets(connection, () => this.#wake());
  }

  /** The number of announcements for a queue. */
  announced(queue: string): number {
    return this.#announcedToAll + (this.#announced.get(queue) ?? 0);
  }

  /**
   * Call this after the commit of a message that can be received.
   * @param queue the name of its queue; all queues when it is absent.
   */
  announce(queue?: string): void {
    this.#wake(queue);
    this.sockets.wakeOthers();
  }

  /** Wakes the receivers. Because the file is closed, the next request of each one fails. */
  close(): void {
    this.sockets.close();
    this.#wake();
  }

  /** Wakes only the receivers of one queue, because all others would read the file without need. */
  #wake(queue?: string): void {
    if (queue === undefined) this.#announcedToAll += 1;
    else this.#announced.set(queue, (this.#announced.get(queue) ?? 0) + 1);
    for (const [wake, waitsFor] of [...this.#waiting]) {
      if (queue !== undefined && waitsFor !== queue) continue;
      this.#waiting.delete(wake);
      wake();
    }
  }

  /**
   * Resolves at the next announcement, after `ms`, or when the signal aborts.
   * @param seen the number of announcements for the queue when the receiver last read it. If it is different now, a
   * message has arrived since, and the call does not wait.
   */
  async wait(queue: string, seen: number, clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.announced(queue) !== seen) return;
    const woken = new AbortController();
    const wake = () => woken.abort(WOKEN);
    this.#waiting.set(wake, queue);
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
        // The last receiver may have ended its wait, and another one may have started to wait since. A sleep on an
        // aborted signal would then end at once, again and again.
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
      // A receiver may have started to wait after the last check.
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
