import type { Progress, Terminal } from '../../../lib/deployment/terminal/terminal.ts';

/** Keeps the output. */
export class RecordedTerminal implements Terminal {
  readonly outLines: string[] = [];
  readonly errLines: string[] = [];

  out(line: string): void {
    this.outLines.push(line);
  }

  err(line: string): void {
    this.errLines.push(line);
  }

  progress(text: string): Progress {
    this.errLines.push(text);
    return {
      update: (next) => this.errLines.push(next),
      end: (last) => {
        if (last !== undefined) this.errLines.push(last);
      },
    };
  }
}
