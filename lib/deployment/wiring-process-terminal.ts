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
  const clock = new SystemClock();
  const output = new GatheredOutput(process.stdout, clock);
  // However the process ends: nothing that was said is lost.
  process.on('exit', () => output.flush());
  const errors = {
    write: (text: string) => {
      output.flush();
      return process.stderr.write(text);
    },
    get isTTY() {
      return process.stderr.isTTY;
    },
    get columns() {
      return process.stderr.columns;
    },
  };
  return new StreamTerminal(output, errors, clock);
}
