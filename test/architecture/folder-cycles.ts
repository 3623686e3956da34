import { posix } from 'node:path';
import { importSpecifiers } from './import-specifiers.ts';

/** For each folder or file, the siblings that it imports, with one import each, as `from -> to`. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Finds cycles of imports between folders, and between files of one folder. In each folder its subfolders and its own files
 * must import each other in one direction. An import of a file counts as an import of one sibling by another: of the folder
 * that both files share, these are the two entries that hold the files. So a folder may import files of the folder above it,
 * as long as these files do not import the folder.
 * @param files source text by path relative to the repository, e.g. `lib/core/event.ts`.
 * @returns one line for each cycle: its siblings in an order in which each imports the next, and an import for each step.
 */
export function folderCycles(files: Readonly<Record<string, string>>): string[] {
  const graph = siblingImports(files);
  const cycles: string[] = [];
  const reported = new Set<string>();
  for (const start of foldersFirst([...graph.keys()])) {
    if (reported.has(start)) continue;
    const path = wayBack(graph, start);
    if (path === undefined) continue;
    for (const each of path) reported.add(each);
    const steps = path.map((from, at) => graph.get(from)?.get(path[(at + 1) % path.length] ?? '') ?? '');
    cycles.push(`${path.join(' -> ')} -> ${start}: ${steps.join('; ')}`);
  }
  return cycles;
}

function siblingImports(files: Readonly<Record<string, string>>): Graph {
  const graph = new Map<string, Map<string, string>>();
  for (const [path, source] of Object.entries(files)) {
    for (const specifier of importSpecifiers(source)) {
      if (!specifier.startsWith('.')) continue;
      const imported = posix.normalize(posix.join(posix.dirname(path), specifier));
      const [from, to] = siblings(path, imported);
      if (from === to) continue;
      const imports = graph.get(from) ?? new Map<string, string>();
      graph.set(from, imports);
      if (!imports.has(to)) imports.set(to, `${path} imports ${imported}`);
    }
  }
  return graph;
}

/** The two folders or files through which the paths lead, in the folder that both paths share. */
function siblings(left: string, right: string): [string, string] {
  const [leftSteps, rightSteps] = [left.split('/'), right.split('/')];
  const apart = leftSteps.findIndex((step, at) => step !== rightSteps[at]);
  if (apart === -1) return [left, left];
  return [leftSteps.slice(0, apart + 1).join('/'), rightSteps.slice(0, apart + 1).join('/')];
}

/** The shortest way from a sibling back to itself, without its end. */
function wayBack(graph: Graph, start: string): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) ?? '')?.keys() ?? []) {
      if (next === start) return way;
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** A cycle of a folder and files is reported as one of the folder. */
function foldersFirst(paths: readonly string[]): string[] {
  const sorted = paths.toSorted();
  return [...sorted.filter((each) => !isFile(each)), ...sorted.filter(isFile)];
}

function isFile(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}
