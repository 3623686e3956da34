import { cutToCodePoints } from '../../core/text.ts';
import type { Clock } from '../../ports/clock.ts';
import { visibleText } from './visible-text.ts';

/**
 * Where a command speaks to a person, or to a file or pipe that one reads later. Each text is one line, and is made safe to show
 * here and nowhere else: it may quote names and messages of anybody.
 */
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

export interface TextStream {
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
    this.aside(() => writeLine(this.stdout, line));
  }

  err(line: string): void {
    this.aside(() => writeLine(this.stderr, line));
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
        if (last !== undefined) writeLine(this.stderr, last);
      },
    };
  }

  private plainLines(text: string): Progress {
    let saidAtMs = this.clock.monotonic();
    writeLine(this.stderr, text);
    return {
      update: (next) => {
        if (this.clock.monotonic() - saidAtMs < PLAIN_INTERVAL_MS) return;
        saidAtMs = this.clock.monotonic();
        writeLine(this.stderr, next);
      },
      end: (last) => {
        if (last !== undefined) writeLine(this.stderr, last);
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
    this.stderr.write(`\r\u001b[K${cutToCodePoints(visibleText(text), width)}`);
    this.shown = text;
  }
}

function writeLine(stream: TextStream, text: string): void {
  stream.write(`${visibleText(text)}\n`);
}
