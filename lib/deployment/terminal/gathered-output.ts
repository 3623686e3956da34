import type { Clock } from '../../ports/clock.ts';
import type { TextStream } from './terminal.ts';

/** Too short for a person to notice. */
const GATHER_MS = 50;

/**
 * Writes the first text at once, and collects the texts of the next 50 ms into one write. A write to a terminal or a
 * pipe is a blocking system call, and under load each pass prints a line.
 */
export class GatheredOutput implements TextStream {
  readonly #write: (text: string) => unknown;
  readonly #clock: Pick<Clock, 'sleep'>;
  #waiting = '';
  #isGathering = false;

  constructor(stream: TextStream, clock: Pick<Clock, 'sleep'>) {
    // Bound now, because a command may redirect the output of foreign code on this stream.
    this.#write = stream.write.bind(stream);
    this.#clock = clock;
  }

  write(text: string): void {
    if (this.#isGathering) {
      this.#waiting += text;
      return;
    }
    this.#write(text);
    this.#isGathering = true;
    void this.#gather();
  }

  /** Writes the collected text. */
  flush(): void {
    if (this.#waiting === '') return;
    const text = this.#waiting;
    this.#waiting = '';
    this.#write(text);
  }

  /** Wraps another stream of the same terminal. The collected text is written before each text of that stream. */
  before(stream: TextStream): TextStream {
    return {
      write: (text) => {
        this.flush();
        return stream.write(text);
      },
      get isTTY() {
        return stream.isTTY === true;
      },
      get columns() {
        return stream.columns ?? 0;
      },
    };
  }

  async #gather(): Promise<void> {
    do {
      this.flush();
      await this.#clock.sleep(GATHER_MS);
    } while (this.#waiting !== '');
    this.#isGathering = false;
  }
}
