// The command line's entry; bin/evenkeel.js loads it on a Node.js that is new enough.
import { describeUnforeseen, processTerminal } from '../wiring-terminal.ts';
import { COMMANDS } from './commands.ts';
import { runCommandLine } from './run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(), COMMANDS, describeUnforeseen);
