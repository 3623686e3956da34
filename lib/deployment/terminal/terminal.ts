import { cutToCodePoints } from '../../core/text.ts';
import type { Clock } from '../../ports/clock.ts';
import { visibleText } from './visible-text.ts';

/**
 * The output of a command, for a person at a terminal or for a file or pipe. Each text is one line. Only this class
 * makes texts safe to show, because they may quote names and messages of others.
 */
export interface Terminal {
  /** Results, on standard output. @param tone `bad` for a failure: in colour, if the terminal shows colours. */
  out(line: string, tone?: 'bad'): void;
  /** Everything else, on standard error. */
  err(line: string): void;
  /**
   * Progress of long work. A terminal shows one line that changes. A file or pipe gets plain lines: the first at once,
   * then one every few seconds.
   */
  progress(text: string): Progress;
}

export interface Progress {
  update(text: string): void;
  /** Ends the progress: the line is removed, or replaced by this text. */
  end(text?: string): void;
}

export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The delay between two plain lines of one long operation. */
const PLAIN_INTERVAL_MS = 5_000;

export class StreamTerminal implements Terminal {
  private readonly stdout: TextStream;
  private readonly stderr: TextStream;
  private readonly clock: Clock;
  private readonly colour: boolean;
  /** The changing line that is on the terminal now. */
  private shown = '';

  /** @param colour whether the terminal shows colours and the user wants them. */
  constructor(stdout: TextStream, stderr: TextStream, clock: Clock, colour = false) {
    this.colour = colour;
    this.stdout = stdout;
    this.stderr = stderr;
    this.clock = clock;
  }

  out(line: string, tone?: 'bad'): void {
    const isRed = this.colour && tone === 'bad';
    this.aside(() => (isRed ? writeRed(this.stdout, line) : writeLine(this.stdout, line)));
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

  /** Removes the changing line while another one is written. */
  private aside(write: () => void): void {
    const { shown } = this;
    if (shown !== '') this.show('');
    write();
    if (shown !== '') this.show(shown);
  }

  private show(text: string): void {
    // A terminal with an unknown width reports 0.
    const width = (this.stderr.columns || 80) - 1;
    this.stderr.write(`\r\u001b[K${cutToCodePoints(visibleText(text), width)}`);
    this.shown = text;
  }
}

/** Adds the colour around the text. The text itself is made safe. */
function writeRed(stream: TextStream, text: string): void {
  stream.write(`\u001b[31m${visibleText(text)}\u001b[0m\n`);
}

function writeLine(stream: TextStream, text: string): void {
  stream.write(`${visibleText(text)}\n`);
}
