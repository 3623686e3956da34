import { resolve } from 'node:path';
import { writePrivately } from '../lib/deployment/files/write-privately.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { exportState } from '../lib/engine/transfer/export-state.ts';
import { exportText } from '../lib/engine/transfer/exported-state.ts';
import { unlessTold } from './backup.ts';
import type { RunCommand } from './command.ts';
import { systemClock } from './wiring.ts';
import { openExport } from './wiring-transfer.ts';

/** `evenkeel export FILE [--stage STAGE]`: writes the state that another installation cannot find in the cluster. */
export const exportCommand: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const file = resolve(operand);
  await using source = await openExport(invocation);
  const { store, cluster, kinds, isRunning } = source;
  const reading = `reading the inventory of cluster ${cluster}`;
  const progress = terminal.progress(reading);
  const { unreadable, ...state } = await exportState(store, cluster, kinds, (count) => {
    progress.update(`${reading}: ${count}`);
  }).finally(() => progress.end());
  const exportedAt = new Date(systemClock.now()).toISOString();
  try {
    writePrivately(file, exportText({ exportedAt, release: packageVersion(), ...state }));
  } catch (error) {
    throw unlessTold(error, `${file} cannot be written`, 'name another file for the export');
  }
  terminal.out(
    `what cannot be found out again of ${state.objects.length} objects of cluster ${cluster} is in ${file}, which only this user can read`,
  );
  if (isRunning === true) {
    terminal.err('evenkeel runs: later passes are not in the file. To move the cluster, stop it and export again.');
  }
  if (unreadable.length === 0) return 0;
  terminal.err(`the items of these objects cannot be read, and they are not in the file: ${unreadable.join(', ')}`);
  return 1;
};
