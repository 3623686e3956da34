import { EvenkeelError } from '../../lib/core/errors.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { runsHere } from './state-directory.ts';

/**
 * The record of what runs from a folder now: one that was killed leaves its record behind.
 * @param otherwise what else the command can read, as readRunRecord has it.
 * @throws EvenkeelError NOT_RUNNING, or BROKEN_STATE for a file that is no such record.
 */
export function runningRecord(directory: string, otherwise?: string): RunRecord {
  const record = readRunRecord(directory, otherwise);
  const pid = runsHere(directory);
  if (pid === record.pid) return record;
  throw new EvenkeelError(
    'NOT_RUNNING',
    pid === undefined
      ? `nothing runs from ${directory} any more: process ${record.pid} exited uncleanly. Run evenkeel start there again; it goes on from its state.`
      : `evenkeel runs from ${directory} with process id ${pid}, and is still starting. Wait until it prints ready.`,
    { data: { directory, pid: record.pid } },
  );
}
