import { fileURLToPath } from 'node:url';

/** The place that ended the process: `file:line:column` of the caller; undefined when its stack shows no file. */
export type ExitPlace = string | undefined;

/**
 * Makes every exit of this process a failure until it is disposed: when code of an author calls `process.exit(0)`, that
 * must not look like a successful command. It does not detect `process.abort()` and signals.
 */
export class ExitGuard implements Disposable {
  readonly #original = process.exit;
  readonly #onExit: () => void;

  /** @param report called once, before the process ends with 1. */
  constructor(report: (place: ExitPlace) => void) {
    let place: ExitPlace;
    const original = this.#original;
    process.exit = (code) => {
      place = callerOf(new Error('exit').stack);
      return Reflect.apply(original, process, [code]);
    };
    this.#onExit = () => {
      process.exitCode = 1;
      report(place);
    };
    process.once('exit', this.#onExit);
  }

  [Symbol.dispose](): void {
    process.exit = this.#original;
    process.off('exit', this.#onExit);
  }
}

/** The first file of a stack after the call of process.exit that does not belong to Node.js. */
function callerOf(stack: unknown): ExitPlace {
  if (typeof stack !== 'string') return undefined;
  // The first two lines are the message and the guard itself.
  for (const line of stack.split('\n').slice(2)) {
    const found = /(?<file>file:\/\/\/[^\s)]+|\/[^\s)]+):(?<at>\d+:\d+)\)?$/.exec(line)?.groups;
    if (found?.file === undefined) continue;
    const { file, at } = found;
    return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${at}`;
  }
  return undefined;
}
