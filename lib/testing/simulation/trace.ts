import { createHash } from 'node:crypto';

export interface TraceLine {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** Who did what when. A digest of all of it tells two runs apart; the lines are kept only when they are to be read. */
export class Trace {
  readonly lines: TraceLine[] = [];
  private readonly hash = createHash('sha256');
  private readonly keep: boolean;

  constructor(keep = false) {
    this.keep = keep;
  }

  step(atMs: number, who: string, what: string): void {
    this.hash.update(`${atMs} ${who} ${what}\n`);
    if (this.keep) this.lines.push({ atMs, who, what });
  }

  /** The digest of everything so far. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }
}
