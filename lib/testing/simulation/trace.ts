import { createHash } from 'node:crypto';

export interface TraceLine {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** A text, or what makes it if somebody wants to read it. */
export type Label = string | (() => string);

/** Who did what when, in the order in which it happened. Kept only on demand: most runs are never read. */
export class Trace {
  readonly lines: TraceLine[] = [];
  readonly #keep: boolean;

  constructor(keep = false) {
    this.#keep = keep;
  }

  add(atMs: number, who: string, what: Label): void {
    if (this.#keep) this.lines.push({ atMs, who, what: typeof what === 'string' ? what : what() });
  }

  /** The lines as text, one a line; the same bytes for the same history. */
  text(): string {
    return this.lines.map(({ atMs, who, what }) => `${atMs} ${who} ${what}\n`).join('');
  }

  digest(): string {
    return createHash('sha256').update(this.text()).digest('hex');
  }
}
