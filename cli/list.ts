import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { Invocation, RunCommand } from './command.ts';
import type { Inspection } from './inspection/inspection.ts';
import {
  compareRows,
  countedAs,
  type InventoryRow,
  inventoryRow,
  inventoryTable,
} from './inspection/inventory-table.ts';
import { pauseNote } from './inspection/pause-note.ts';
import { readInventory } from './inspection/read-targets.ts';
import { kindNamed } from './inspection/target-name.ts';
import { printJson } from './print-json.ts';
import { openInspection } from './wiring.ts';

/** `evenkeel list [--failing]` */
export const list: RunCommand = async (invocation, terminal) => {
  await using inspection = await openInspection(invocation);
  return await printList(inspection, invocation, terminal);
};

export async function printList(inspection: Inspection, invocation: Invocation, terminal: Terminal): Promise<number> {
  const { store, cluster, clock, settings } = inspection;
  const kindWord = invocation.text('kind');
  const types =
    kindWord === undefined ? inspection.kinds.map(({ type }) => type) : [kindNamed(kindWord, inspection.kinds)];
  const progress = terminal.progress(`reading the inventory of cluster ${cluster}`);
  const all: InventoryRow[] = [];
  const counts = { known: 0, elsewhere: 0, deleting: 0 };
  for (const type of types) {
    for await (const target of readInventory(store, cluster, type)) {
      all.push(inventoryRow(target, type.kind, clock.now(), settings));
      counts[countedAs(target)] += 1;
      progress.update(`reading the inventory of cluster ${cluster}: ${all.length}`);
    }
  }
  const note = await pauseNote(inspection);
  progress.end();
  if (note !== undefined) terminal.err(note);
  const failing = all.filter((row) => row.failing);
  const rows = (invocation.has('failing') ? failing : all).sort(compareRows);
  if (invocation.text('output') === 'json') {
    printJson({ items: rows }, terminal);
    return 0;
  }
  if (rows.length > 0) for (const line of inventoryTable(rows, clock.now())) terminal.out(line);
  const summary = [
    `${counts.known} known, ${failing.length} failing`,
    ...(counts.deleting > 0 ? [`${counts.deleting} being deleted`] : []),
    ...(counts.elsewhere > 0 ? [`${counts.elsewhere} driven by another deployment`] : []),
  ].join(', ');
  terminal.err(failing.length > 0 ? `${summary}; evenkeel explain KIND/NAMESPACE/NAME shows why` : summary);
  return 0;
}
