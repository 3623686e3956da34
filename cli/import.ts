import { resolve } from 'node:path';
import { readText } from '../lib/deployment/files/read-text.ts';
import { parseExport } from '../lib/engine/transfer/exported-state.ts';
import { importState } from '../lib/engine/transfer/import-state.ts';
import { unlessTold } from './backup.ts';
import type { RunCommand } from './command.ts';
import { openImport } from './wiring-transfer.ts';

/** Enough for a million objects with some durable values. */
const MAX_EXPORT_BYTES = 400 * 1_048_576;

/** `evenkeel import FILE [--stage STAGE]`: stores the state of another installation before this one starts. */
export const importCommand: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const file = resolve(operand);
  let text: string;
  try {
    text = readText(file, MAX_EXPORT_BYTES);
  } catch (error) {
    throw unlessTold(error, `${file} cannot be read`, 'name another file');
  }
  const state = parseExport(text, file);
  const cluster = invocation.text('cluster') ?? state.cluster.name;
  await using destination = await openImport(invocation);
  const writing = `writing to ${destination.what}`;
  const progress = terminal.progress(writing);
  const { imported, known } = await importState(state, {
    ...destination,
    cluster,
    onImported: (count) => progress.update(`${writing}: ${count} of ${state.objects.length}`),
  }).finally(() => progress.end());
  terminal.out(`${imported} objects of cluster ${cluster} were imported into ${destination.what}`);
  if (known > 0) {
    terminal.out(
      `${known} objects were left as they are: this installation has reconciled them, and knows them better`,
    );
  }
  if (state.cluster.paused) {
    terminal.out(`cluster ${cluster} is paused here too, as it was there: evenkeel resume ends that`);
  }
  return 0;
};
