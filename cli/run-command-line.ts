import { EvenkeelError, errorLines } from '../lib/core/errors.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { CommandDefinition } from './command.ts';
import { commandHelp, generalHelp } from './help-text.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/**
 * Runs one command line.
 * @param describe describes an unexpected error without its text.
 * @returns the exit code: 0; 1 when the command failed; 2 when it was not understood; or another code of the command.
 */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  commands: readonly CommandDefinition[],
  describe: (error: unknown) => string,
): Promise<number> {
  try {
    const parsed = parseCommandLine(args, commands);
    switch (parsed.type) {
      case 'version':
        terminal.out(packageVersion());
        return 0;
      case 'help':
        for (const line of parsed.command === undefined ? generalHelp(commands) : commandHelp(parsed.command)) {
          terminal.out(line);
        }
        return 0;
      case 'run': {
        const run = await parsed.command.load();
        return await run(parsed.invocation, terminal);
      }
    }
  } catch (error) {
    if (error instanceof EvenkeelError) {
      for (const line of errorLines(error)) terminal.err(`evenkeel: ${line}`);
    } else {
      terminal.err(`evenkeel: internal error: ${describe(error)}. Please report it.`);
    }
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE;
  }
}
