import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The format of istanbul: the parts of a file, and how often each one ran, by the same keys. */
interface FileCoverage {
  readonly path: string;
  readonly statementMap: Readonly<Record<string, Span>>;
  readonly s: Readonly<Record<string, number>>;
  readonly branchMap: Readonly<Record<string, { readonly loc: Span; readonly locations: readonly Partial<Span>[] }>>;
  readonly b: Readonly<Record<string, readonly number[]>>;
}

interface Span {
  readonly start: { readonly line?: number };
}

export interface Counted {
  readonly covered: number;
  readonly total: number;
}

/** The parts of one file that the simulator does not reach. */
export interface Uncovered {
  readonly file: string;
  readonly lines: readonly number[];
  /** The lines of the branches that are never taken. */
  readonly branches: readonly number[];
}

export interface CoverageSummary {
  readonly lines: Counted;
  readonly branches: Counted;
  readonly uncovered: readonly Uncovered[];
}

/** Adds up istanbul's coverage-final.json. */
export function readCoverage(file: string, root: string): CoverageSummary {
  const files = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, FileCoverage>);
  const lines = { covered: 0, total: 0 };
  const branches = { covered: 0, total: 0 };
  const uncovered: Uncovered[] = [];
  for (const { path, statementMap, s, branchMap, b } of files.sort((left, right) =>
    left.path < right.path ? -1 : 1,
  )) {
    const counts = new Map<number, number>();
    for (const [key, { start }] of Object.entries(statementMap)) {
      const { line = 0 } = start;
      counts.set(line, Math.max(counts.get(line) ?? 0, s[key] ?? 0));
    }
    const missedLines = [...counts].filter(([, count]) => count === 0).map(([line]) => line);
    const missedBranches: number[] = [];
    for (const [key, { loc, locations }] of Object.entries(branchMap)) {
      for (const [index, { start }] of locations.entries()) {
        branches.total += 1;
        if ((b[key]?.[index] ?? 0) > 0) branches.covered += 1;
        // An `else` that is not written has the position of its `if`.
        else missedBranches.push(start?.line ?? loc.start.line ?? 0);
      }
    }
    lines.total += counts.size;
    lines.covered += counts.size - missedLines.length;
    if (missedLines.length + missedBranches.length > 0)
      uncovered.push({ file: relative(root, path), lines: inOrder(missedLines), branches: inOrder(missedBranches) });
  }
  return { lines, branches, uncovered };
}

function inOrder(lines: readonly number[]): number[] {
  return [...new Set(lines)].sort((left, right) => left - right);
}
