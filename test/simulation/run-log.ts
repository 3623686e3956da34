import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addFigures, type Figures } from '../../lib/testing/simulation/figures.ts';
import type { FailedSeed } from './seed-worker.ts';

/** Seeds `from` to `to`, the last one not included, and what they were like. */
export interface LoggedRange {
  readonly from: number;
  readonly to: number;
  readonly figures: Figures;
  readonly failed: readonly Pick<FailedSeed, 'seed'>[];
}

interface LogLine extends LoggedRange {
  /** Of the sources that ran: what other sources did proves nothing of these. */
  readonly revision: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['lib/**/*.ts', 'test/simulation/**/*.ts'];

/** One line of JSON for each range of seeds that was run, in a file: a long run goes on where it was interrupted. */
export class RunLog {
  readonly #file: string;
  readonly #revision = revisionOfSources();
  readonly #ranges: LoggedRange[] = [];

  constructor(file: string) {
    this.#file = file;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const range = JSON.parse(line) as LogLine;
      if (range.revision === this.#revision) this.#ranges.push(range);
    }
  }

  add(range: LoggedRange): void {
    this.#ranges.push(range);
    appendFileSync(this.#file, `${JSON.stringify({ revision: this.#revision, ...range })}\n`);
  }

  has(from: number, to: number): boolean {
    return this.#ranges.some((range) => range.from <= from && to <= range.to);
  }

  /** Of all ranges of these sources, whenever they were run. */
  totals(): { seeds: number; figures: Figures | undefined; failed: number[] } {
    const seeds = this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    const [first, ...others] = this.#ranges.map(({ figures }) => figures);
    const figures = first === undefined ? undefined : others.reduce(addFigures, first);
    const failed = this.#ranges.flatMap((range) => range.failed.map(({ seed }) => seed));
    return { seeds, figures, failed: failed.sort((left, right) => left - right) };
  }
}

function revisionOfSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) hash.update(file).update(readFileSync(`${ROOT}${file}`));
  return hash.digest('hex').slice(0, 12);
}
