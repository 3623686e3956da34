import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writePage } from '../page/simulation-page.ts';
import { isAbout, REASONS, withoutReason } from './reasons.ts';
import { type Counted, readCoverage, type Uncovered } from './uncovered.ts';

const USAGE = `npm run sim:coverage -- [--seeds N]

Which lines and branches of lib/engine and lib/core the simulation alone reaches. Whatever it does not reach is shown with
its source, and with its reason in docs/simulation.md.

  --seeds N  how many seeds to run; 300`;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '300' }, help: { type: 'boolean', default: false } },
});

if (values.help) console.log(USAGE);
else process.exitCode = measure(values.seeds);

function measure(seeds: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-coverage-'));
  try {
    const options = {
      enabled: 'true',
      provider: 'v8',
      reporter: 'json',
      reportsDirectory: folder,
    };
    const flags = Object.entries(options).map(([name, value]) => `--coverage.${name}=${value}`);
    const includes = ['lib/engine/**/*.ts', 'lib/core/**/*.ts'].map((glob) => `--coverage.include=${glob}`);
    const { status } = spawnSync(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'simulation',
        'test/simulation/seeds.test.ts',
        ...flags,
        ...includes,
      ],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, SIMULATION_SEEDS: seeds } },
    );
    if (status !== 0) return status ?? 1;
    const { lines, branches, uncovered } = readCoverage(join(folder, 'coverage-final.json'), ROOT);
    for (const file of uncovered) tell(file);
    const summary = `${seeds} seeds: lines ${share(lines)}, branches ${share(branches)}`;
    console.log(`\n${summary}`);
    writePage({ coverage: coverageTable(summary, uncovered) });
    const unexplained = withoutReason(uncovered.map(({ file }) => file));
    for (const file of unexplained)
      console.log(`${file}: say in test/simulation/reach/reasons.ts why it is not reached`);
    return unexplained.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell({ file, lines, branches }: Uncovered): void {
  const source = readFileSync(join(ROOT, file), 'utf8').split('\n');
  console.log(`\n${file}`);
  for (const line of [...new Set([...lines, ...branches])].sort((left, right) => left - right)) {
    const what = lines.includes(line) ? 'line  ' : 'branch';
    console.log(`  ${what} ${String(line).padStart(4)}  ${source[line - 1]?.trim() ?? ''}`);
  }
}

function coverageTable(summary: string, uncovered: readonly Uncovered[]): string {
  const sections = REASONS.flatMap((reason) => {
    const rows = uncovered
      .filter(({ file }) => isAbout(reason, file))
      .map(({ file, lines, branches }) => `| ${file} | ${ranges(lines)} | ${ranges(branches)} |`);
    return rows.length === 0
      ? []
      : [`${reason.why}\n\n| file | lines | branches at |\n|---|---|---|\n${rows.join('\n')}`];
  });
  return [`${summary}.`, ...sections].join('\n\n');
}

/** `3, 5-8` */
function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function share({ covered, total }: Counted): string {
  return `${((100 * covered) / total).toFixed(1)} % (${covered} of ${total})`;
}
