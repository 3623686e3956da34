import { createHash } from 'node:crypto';

export interface TraceLine {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** A text, or a function that makes it when somebody reads it. */
export type Label = string | (() => string);

/** Who did what when, in order. It is kept only on demand, because most runs are never read. */
export class Trace {
  readonly lines: TraceLine[] = [];
  readonly #keep: boolean;

  constructor(keep = false) {
    this.#keep = keep;
  }

  add(atMs: number, who: string, what: Label): void {
    if (this.#keep) this.lines.push({ atMs, who, what: typeof what === 'string' ? what : what() });
  }

  /** The lines as one text. The same history gives the same bytes. */
  text(): string {
    return this.lines.map(({ atMs, who, what }) => `${atMs} ${who} ${what}\n`).join('');
  }

  digest(): string {
    return createHash('sha256').update(this.text()).digest('hex');
  }
}
