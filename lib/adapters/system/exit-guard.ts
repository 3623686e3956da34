import { fileURLToPath } from 'node:url';

/** Where a process was ended: `file:line:column` of the caller; undefined when its stack shows no file. */
export type ExitPlace = string | undefined;

const GUARD = import.meta.url;

/**
 * Makes an exit of this process a failure until it is disposed: code of an author that calls `process.exit(0)` must not
 * look like a command that succeeded. It does not see `process.abort()` nor signals.
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

/** The first file of a stack that is neither of Node.js nor this one. */
function callerOf(stack: unknown): ExitPlace {
  if (typeof stack !== 'string') return undefined;
  for (const line of stack.split('\n').slice(1)) {
    const found = /(?<file>file:\/\/\/[^\s)]+|\/[^\s)]+):(?<at>\d+:\d+)\)?$/.exec(line)?.groups;
    if (found?.file === undefined || found.file === GUARD) continue;
    const { file, at } = found;
    return `${file.startsWith('file:') ? fileURLToPath(file) : file}:${at}`;
  }
  return undefined;
}
