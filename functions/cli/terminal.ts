import { cutToCodePoints } from '../../lib/core/text.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** Where a command speaks to a person, or to a file or pipe that one reads later. */
export interface Terminal {
  /** Results, on standard output. */
  out(line: string): void;
  /** Everything else, on standard error. */
  err(line: string): void;
  /** Long work. On a terminal one line that changes; elsewhere plain lines, the first one at once and then one in a while. */
  progress(text: string): Progress;
}

export interface Progress {
  update(text: string): void;
  /** Ends it: the line goes, or is replaced by this text. */
  end(text?: string): void;
}

interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Between two plain lines of one piece of long work. */
const PLAIN_INTERVAL_MS = 5_000;

export class StreamTerminal implements Terminal {
  private readonly stdout: TextStream;
  private readonly stderr: TextStream;
  private readonly clock: Clock;
  /** The changing line that is shown now. */
  private shown = '';

  constructor(stdout: TextStream, stderr: TextStream, clock: Clock) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.clock = clock;
  }

  out(line: string): void {
    this.aside(() => this.stdout.write(`${line}\n`));
  }

  err(line: string): void {
    this.aside(() => this.stderr.write(`${line}\n`));
  }

  progress(text: string): Progress {
    return this.stderr.isTTY === true ? this.changingLine(text) : this.plainLines(text);
  }

  private changingLine(text: string): Progress {
    this.show(text);
    return {
      update: (next) => this.show(next),
      end: (last) => {
        this.show('');
        if (last !== undefined) this.stderr.write(`${last}\n`);
      },
    };
  }

  private plainLines(text: string): Progress {
    let saidAtMs = this.clock.monotonic();
    this.stderr.write(`${text}\n`);
    return {
      update: (next) => {
        if (this.clock.monotonic() - saidAtMs < PLAIN_INTERVAL_MS) return;
        saidAtMs = this.clock.monotonic();
        this.stderr.write(`${next}\n`);
      },
      end: (last) => {
        if (last !== undefined) this.stderr.write(`${last}\n`);
      },
    };
  }

  /** Takes the changing line away while another one is written. */
  private aside(write: () => void): void {
    const { shown } = this;
    if (shown !== '') this.show('');
    write();
    if (shown !== '') this.show(shown);
  }

  private show(text: string): void {
    // A terminal that does not know its width says 0.
    const width = (this.stderr.columns || 80) - 1;
    this.stderr.write(`\r\u001b[K${cutToCodePoints(text, width)}`);
    this.shown = text;
  }
}
