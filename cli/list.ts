import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import type { Inspection } from './inspection/inspection.ts';
import { countedAs, type InventoryRow, inventoryRow, inventoryTable } from './inspection/inventory-table.ts';
import { inOrder, isWanted, selectedUids } from './inspection/list-filter.ts';
import { pauseNote } from './inspection/pause-note.ts';
import { readInventory } from './inspection/read-targets.ts';
import { kindNamed } from './inspection/target-name.ts';
import { exitSignal } from './local/exit-signal.ts';
import { printJson } from './print-json.ts';
import { npmShellPid, openInspection } from './wiring.ts';

/** The interval for reading a watched list again. */
const WATCH_MS = 2_000;

/** `evenkeel list [--failing] [--not-ready] [--watch]` */
export const list: RunCommand = async (invocation, terminal) => {
  await using inspection = await openInspection(invocation);
  if (!invocation.has('watch')) return await printList(inspection, invocation, terminal);
  const ended = new AbortController();
  using _exit = exitSignal(() => ended.abort(), npmShellPid);
  return await watchList(inspection, invocation, terminal, ended.signal);
};

/** Prints the list, and again after each change, until the signal aborts. */
export async function watchList(
  inspection: Inspection,
  invocation: Invocation,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  for (let before = ''; !signal.aborted; ) {
    const { rows, summary, note } = await readList(inspection, invocation);
    // A time that is only shown as a relative one is not a change.
    const now = JSON.stringify([note, rows.map(({ nextWhy: _, ...row }) => row)]);
    if (now !== before) print(rows, summary, note, inspection, invocation, terminal);
    before = now;
    await inspection.clock.sleep(WATCH_MS, signal).catch(() => {});
  }
  return 0;
}

export async function printList(inspection: Inspection, invocation: Invocation, terminal: Terminal): Promise<number> {
  const progress = terminal.progress(`reading the inventory of cluster ${inspection.cluster}`);
  const { rows, summary, note } = await readList(inspection, invocation, (count) =>
    progress.update(`reading the inventory of cluster ${inspection.cluster}: ${count}`),
  );
  progress.end();
  print(rows, summary, note, inspection, invocation, terminal);
  return 0;
}

function print(
  rows: readonly InventoryRow[],
  summary: string,
  note: string | undefined,
  { clock }: Inspection,
  invocation: Invocation,
  terminal: Terminal,
): void {
  if (note !== undefined) terminal.err(note);
  if (invocation.text('output') === 'json') {
    printJson({ items: rows }, terminal);
    return;
  }
  if (rows.length > 0) {
    const [header = '', ...lines] = inventoryTable(rows, clock.now());
    terminal.out(header);
    for (const [index, line] of lines.entries()) terminal.out(line, rows[index]?.failing === true ? 'bad' : undefined);
  }
  terminal.err(summary);
}

interface ReadList {
  readonly rows: readonly InventoryRow[];
  readonly summary: string;
  readonly note: string | undefined;
}

async function readList(
  inspection: Inspection,
  invocation: Invocation,
  onRead: (count: number) => void = () => {},
): Promise<ReadList> {
  const { store, cluster, clock, settings } = inspection;
  const kindWord = invocation.text('kind');
  const types =
    kindWord === undefined ? inspection.kinds.map(({ type }) => type) : [kindNamed(kindWord, inspection.kinds)];
  const all: InventoryRow[] = [];
  const counts = { known: 0, elsewhere: 0, deleting: 0 };
  for (const type of types) {
    const isSelected = await selectedUids(inspection, type, invocation);
    for await (const target of readInventory(store, cluster, type)) {
      if (isSelected?.(target) === false) continue;
      all.push(inventoryRow(target, type.kind, clock.now(), settings));
      counts[countedAs(target)] += 1;
      onRead(all.length);
    }
  }
  const note = await pauseNote(inspection);
  const failing = all.filter((row) => row.failing);
  const rows = inOrder(
    all.filter((row) => isWanted(row, invocation)),
    invocation.text('sort'),
  );
  const summary = [
    `${counts.known} known, ${failing.length} failing`,
    ...(counts.deleting > 0 ? [`${counts.deleting} being deleted`] : []),
    ...(counts.elsewhere > 0 ? [`${counts.elsewhere} driven by another deployment`] : []),
  ].join(', ');
  const advice = failing.length > 0 ? `${summary}; evenkeel explain KIND/NAMESPACE/NAME shows why` : summary;
  return { rows, summary: advice, note };
}
