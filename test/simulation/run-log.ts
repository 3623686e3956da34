import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readFileSync, truncateSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { addFigures, type Figures, NO_FIGURES } from '../../lib/testing/simulation/figures.ts';
import { UsageError } from './command-line.ts';
import type { FailedSeed } from './run-range.ts';

/** The seeds from `from` to `to`, without the last one, and their results. */
export interface LoggedRange {
  readonly from: number;
  readonly to: number;
  readonly figures: Figures;
  readonly failed: readonly Pick<FailedSeed, 'seed'>[];
}

/** The totals of all ranges of these sources, from any run. */
export interface LogTotals {
  readonly seeds: number;
  readonly figures: Figures | undefined;
  readonly failed: readonly number[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The files that decide what a seed does. */
const SOURCES = [
  'lib/**/*.ts',
  'test/simulation/{run-range,run-seed,seed-worker}.ts',
  'test/simulation/workload/*.ts',
  'test/support/**/*',
  'test/controllers/t4/{definitions,objects}.ts',
  'infra/kubernetes/crds/*',
  'package-lock.json',
];

const SEED = z.int().nonnegative();
const LINE = z.object({
  /** The revision of the sources that ran. A result of other sources proves nothing for these. */
  revision: z.string(),
  from: SEED,
  to: SEED,
  figures: z
    .object(Object.fromEntries(Object.keys(NO_FIGURES).map((name) => [name, z.number()])))
    .extend({ drawn: z.record(z.string(), z.number()).optional() }),
  failed: z.array(z.object({ seed: SEED })),
});
/** The start of a line that a kill left incomplete. */
const BEGINNING = '{"revision":"';

/**
 * A file with one line of JSON for each range of seeds that was run. A long run continues where it was interrupted. No
 * seed counts twice: a range that overlaps an earlier one is ignored, and its seeds are run again if the earlier one
 * did not cover them.
 */
export class RunLog {
  readonly #file: string;
  readonly #revision: string;
  /** Disjoint ranges, in the order of their first seeds. */
  #ranges: LoggedRange[] = [];

  /** @throws UsageError when the file cannot be written, or contains something else. */
  constructor(file: string, revision: string) {
    this.#file = file;
    this.#revision = revision;
    try {
      if (existsSync(file)) this.#read(readFileSync(file, 'utf8'));
      appendFileSync(file, '');
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`--log ${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #read(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const ranges = [...lines.entries()].flatMap(([index, line]) => this.#parse(line, index + 1));
    for (const range of ranges) this.#take(range);
    if (last === '') return;
    if (!BEGINNING.startsWith(last.slice(0, BEGINNING.length))) throw this.#isNone(lines.length + 1, last);
    truncateSync(this.#file, Buffer.byteLength(text) - Buffer.byteLength(last));
  }

  #parse(line: string, number: number): LoggedRange[] {
    if (line === '') return [];
    const found = parseJson(line);
    if (typeof found !== 'object' || found === null || Array.isArray(found)) throw this.#isNone(number, line);
    if (!('revision' in found) || found.revision !== this.#revision) return [];
    const { success, data } = LINE.safeParse(found);
    if (!success || data.to <= data.from) throw this.#isNone(number, line);
    return [{ ...data, figures: data.figures as unknown as Figures }];
  }

  #isNone(number: number, line: string): UsageError {
    return new UsageError(`${this.#file}:${number} is no line of a simulation log: ${line.slice(0, 100)}`);
  }

  #take(range: LoggedRange): void {
    if (this.#ranges.some(({ from, to }) => range.from < to && from < range.to)) return;
    this.#ranges = [...this.#ranges, range].sort((left, right) => left.from - right.from);
  }

  add(range: LoggedRange): void {
    this.#take(range);
    appendFileSync(this.#file, `${JSON.stringify({ revision: this.#revision, ...range })}\n`);
  }

  /** The first seeds from `from` to `to`, without the last one, that are not in the log. */
  gap(from: number, to: number): { readonly from: number; readonly to: number } | undefined {
    let begin = from;
    for (const range of this.#ranges) {
      if (range.to <= begin) continue;
      if (range.from > begin) return begin < to ? { from: begin, to: Math.min(to, range.from) } : undefined;
      begin = range.to;
    }
    return begin < to ? { from: begin, to } : undefined;
  }

  totals(): LogTotals {
    const seeds = this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    const [first, ...others] = this.#ranges.map(({ figures }) => figures);
    const figures = first === undefined ? undefined : others.reduce(addFigures, first);
    const failed = this.#ranges.flatMap((range) => range.failed.map(({ seed }) => seed));
    return { seeds, figures, failed: failed.sort((left, right) => left - right) };
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The files that decide what a seed does, by their paths in the repository. */
export function sourceFiles(): string[] {
  return globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/').slice(ROOT.length))
    .sort();
}

/** A digest of the sources and the options that decide what a seed does. */
export function revisionOf(options: { readonly maxSteps?: number }): string {
  const hash = createHash('sha256').update(`steps ${options.maxSteps ?? 'unlimited'}`);
  for (const file of sourceFiles()) hash.update(file).update(readFileSync(`${ROOT}${file}`));
  return hash.digest('hex').slice(0, 12);
}
