import { SystemClock } from '../adapters/system/system-clock.ts';
import { StreamTerminal, type Terminal } from './terminal/terminal.ts';

/** The terminal, file or pipe that the process was started with. A reader that went away (`| head`) ends the process quietly. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  const { NO_COLOR = '', TERM } = process.env;
  const colour = NO_COLOR === '' && TERM !== 'dumb';
  return new StreamTerminal(process.stdout, process.stderr, new SystemClock(), colour);
}
