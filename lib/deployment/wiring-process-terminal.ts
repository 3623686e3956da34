import { SystemClock } from '../adapters/system/system-clock.ts';
import { GatheredOutput } from './terminal/gathered-output.ts';
import { StreamTerminal, type Terminal } from './terminal/terminal.ts';

/** The terminal, file or pipe that the process was started with. A reader that went away (`| head`) ends the process quietly. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  const output = new GatheredOutput(process.stdout, { sleep: sleepWithoutHolding });
  // However the process ends: nothing that was said is lost.
  process.on('exit', () => output.flush());
  const { NO_COLOR = '', TERM } = process.env;
  // A file or a pipe gets none, nor does a person who wants none (https://no-color.org).
  const colour = process.stdout.isTTY === true && NO_COLOR === '' && TERM !== 'dumb';
  return new StreamTerminal(output, output.before(process.stderr), new SystemClock(), colour);
}

/** The process may end during that time: a command that has written its last line is done. */
function sleepWithoutHolding(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
