// The entry of the command line. bin/evenkeel.js loads it on a Node.js that is new enough.
import { processTerminal } from '../lib/deployment/wiring-process-terminal.ts';
import { COMMANDS } from './commands.ts';
import { endWithStarter } from './end-with-starter.ts';
import { runCommandLine } from './run-command-line.ts';
import { describeUnforeseen, endAtUnforeseen } from './wiring-terminal.ts';

endWithStarter();
const terminal = processTerminal();
endAtUnforeseen(terminal);
process.exitCode = await runCommandLine(process.argv.slice(2), terminal, COMMANDS, describeUnforeseen);
