import { resolve } from 'node:path';
import { unlessTold } from './backup.ts';
import type { RunCommand } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { claimStateDirectory } from './state/state-directory.ts';
import { restoreLocalState } from './wiring-state.ts';

/**
 * `evenkeel restore FILE`: replaces the state by a backup. Nothing may run from the state directory. At the next start
 * everything is listed and reconciled again, because the changes after the backup are unknown.
 */
export const restore: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const file = resolve(operand);
  const directory = claimStateDirectory(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY, process.pid);
  try {
    const before = await restoreLocalState(file, directory.path);
    terminal.out(
      `the state of ${directory.path} is that of ${file} now: the next start lists and reconciles everything`,
    );
    if (before !== undefined) terminal.out(`the state that was there is kept in ${before}`);
  } catch (error) {
    throw unlessTold(error, `${file} cannot be restored`, 'name another backup');
  } finally {
    directory.release();
  }
  return 0;
};
