import { resolve } from 'node:path';
import { EvenkeelError } from '../lib/core/errors.ts';
import { fileFault } from '../lib/deployment/files/file-fault.ts';
import type { RunCommand } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { backUpLocalState } from './wiring-state.ts';

/**
 * `evenkeel backup FILE`: copies the state at one moment, with the embedded cluster if there is one, while evenkeel
 * runs.
 */
export const backup: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const directory = resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY);
  const file = resolve(operand);
  try {
    await backUpLocalState(directory, file);
  } catch (error) {
    throw unlessTold(error, `${file} cannot be written`, 'name another file for the backup');
  }
  terminal.out(`the state of ${directory} is backed up in ${file}, which only this user can read`);
  return 0;
};

/** Describes an error of the file system, with the action that failed. Any other error is returned unchanged. */
export function unlessTold(error: unknown, what: string, otherwise: string): unknown {
  if (error instanceof EvenkeelError || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  const { why, advice } = fileFault(error);
  return new EvenkeelError('STATE_FILE', `${what}: ${why}. ${advice}, or ${otherwise}.`, { cause: error });
}
