import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ALL_FAULT_KINDS } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import { readCaughtFaults } from '../planted/caught-faults.ts';
import { PLANTED_FAULTS } from '../planted/planted-faults.ts';

const PAGE = fileURLToPath(new URL('../../../docs/simulation.md', import.meta.url));

/** The present text of docs/simulation.md. */
export function readSimulationPage(): string {
  return readFileSync(PAGE, 'utf8');
}

/** The page with new tables; the text around them stays. */
export function simulationPage(page: string): string {
  return withTables(page, {
    planted: plantedTable(),
    masked: maskedTable(),
    unseen: unseenTable(),
    fixed: fixedTable(),
  });
}

export function writeSimulationPage(): void {
  writeFileSync(PAGE, simulationPage(readSimulationPage()));
}

/** Writes tables into their places on the page, by name. */
export function writePage(tables: Readonly<Record<string, string>>): void {
  writeFileSync(PAGE, withTables(readSimulationPage(), tables));
}

/** Faults that are drawn and that the page does not describe. */
export function untoldFaults(page: string): string[] {
  return ALL_FAULT_KINDS.filter((kind) => !page.includes(`\`${kind}\``));
}

function plantedTable(): string {
  const rows = PLANTED_FAULTS.filter(({ maskedBy }) => maskedBy === undefined).map(({ name, inside }) => {
    const { by, seed, steps } = cells(name);
    return `| ${name} | ${inside} | ${by} | ${seed} | ${steps} |`;
  });
  return ['| fault | in | caught by | seed | steps |', '|---|---|---|--:|--:|', ...rows].join('\n');
}

function maskedTable(): string {
  const rows = PLANTED_FAULTS.flatMap(({ name, inside, maskedBy }) => {
    if (maskedBy === undefined) return [];
    const { by, seed, steps } = cells(name);
    return [`| ${name} | ${inside} | ${maskedBy} | ${by} | ${seed} | ${steps} |`];
  });
  return ['| fault | in | masked by | both are caught by | seed | steps |', '|---|---|---|---|--:|--:|', ...rows].join(
    '\n',
  );
}

function unseenTable(): string {
  const rows = PLANTED_FAULTS.flatMap(({ name, unseen, heldBy }) =>
    unseen === undefined ? [] : [`| ${name} | ${unseen} | ${heldBy?.test} |`],
  );
  return ['| fault | why no history shows it | the test that fails |', '|---|---|---|', ...rows].join('\n');
}

function fixedTable(): string {
  const rows = PLANTED_FAULTS.flatMap(({ name, heldBy }) => {
    if (heldBy === undefined) return [];
    const { by, seed } = cells(name);
    return [`| ${name} | ${by} | ${seed} | ${heldBy.test} |`];
  });
  return ['| fault | invariant | seed | the test of the fix |', '|---|---|--:|---|', ...rows].join('\n');
}

/** What caught a fault in the last measurement. */
function cells(name: string): { by: string; seed: string; steps: string } {
  const caught = readCaughtFaults()[name];
  if (caught === undefined) return { by: 'not yet', seed: '', steps: '' };
  if (caught.seed === 'test') return { by: 'its test', seed: '', steps: '' };
  return { by: caught.invariant, seed: String(caught.seed), steps: String(caught.steps) };
}

function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const from = text.indexOf(`<!-- ${name}: made by `);
    const begin = text.indexOf('\n', from);
    const to = text.indexOf(`<!-- end of ${name} -->`);
    if (from < 0 || to < begin) throw new Error(`docs/simulation.md has no place for the table '${name}'`);
    return `${text.slice(0, begin)}\n\n${table}\n\n${text.slice(to)}`;
  }, page);
}
