import { Console } from 'node:console';

/**
 * Sends what this process prints with `console` to standard error, until it is disposed of: standard output holds results
 * only. Code that writes to `process.stdout` by itself is not affected.
 */
export class StderrConsole implements Disposable {
  readonly #original: Readonly<Partial<Console>> = { ...console };

  constructor(stderr: NodeJS.WritableStream = process.stderr) {
    Object.assign(console, new Console({ stdout: stderr, stderr }));
  }

  [Symbol.dispose](): void {
    Object.assign(console, this.#original);
  }
}
