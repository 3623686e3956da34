// The process that `evenkeel dev` starts for each version of the author's module.
import { EvenkeelError, errorLines } from '../lib/core/errors.ts';
import { processTerminal } from '../lib/deployment/wiring-process-terminal.ts';
import { runVersion, type VersionOptions } from './dev/run-version.ts';
import { describeUnforeseen, endAtUnforeseen } from './wiring-terminal.ts';

const terminal = processTerminal();
endAtUnforeseen(terminal);
// The channel closes when `evenkeel dev` ends, for any reason.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
try {
  await runVersion(JSON.parse(process.argv[2] ?? '{}') as VersionOptions, terminal);
  process.exit(0);
} catch (error) {
  const lines = error instanceof EvenkeelError ? errorLines(error) : [`internal error: ${describeUnforeseen(error)}.`];
  for (const line of lines) terminal.err(`evenkeel: ${line}`);
  process.exit(1);
}
