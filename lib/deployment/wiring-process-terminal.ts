import { SystemClock } from '../adapters/system/system-clock.ts';
import { GatheredOutput } from './terminal/gathered-output.ts';
import { StreamTerminal, type Terminal } from './terminal/terminal.ts';

/** The terminal, file or pipe of the process. When the reader is gone (`| head`), the process ends without an error. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  const output = new GatheredOutput(process.stdout, { sleep: sleepWithoutHolding });
  // Nothing that was printed is lost, however the process ends.
  process.on('exit', () => output.flush());
  const { NO_COLOR = '', TERM } = process.env;
  // No colours for a file or a pipe, and for a user who wants none (https://no-color.org).
  const colour = process.stdout.isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
  return new StreamTerminal(output, output.before(process.stderr), new SystemClock(), colour);
}

/** Does not keep the process running, so that a command ends at once after its last line. */
function sleepWithoutHolding(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
