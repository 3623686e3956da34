import { EvenkeelError } from '../../lib/core/errors.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { runsHere } from './state-directory.ts';

/**
 * The record of the processes that run from a folder now. A process that was killed leaves its record behind, and that
 * is not returned.
 * @param otherwise as for readRunRecord.
 * @throws EvenkeelError NOT_RUNNING; BROKEN_STATE for a file that is not such a record.
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
