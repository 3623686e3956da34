import { Console } from 'node:console';

/**
 * Redirects the output of `console` and `process.stdout` to standard error until it is disposed, so that standard
 * output has only results. Code that writes results must bind `process.stdout.write` before that.
 */
export class StderrConsole implements Disposable {
  readonly #original: Readonly<Partial<Console>> = { ...console };
  readonly #stdout: NodeJS.WriteStream;
  readonly #write: NodeJS.WriteStream['write'];

  constructor(stderr: NodeJS.WritableStream = process.stderr, stdout: NodeJS.WriteStream = process.stdout) {
    Object.assign(console, new Console({ stdout: stderr, stderr }));
    this.#stdout = stdout;
    this.#write = stdout.write;
    stdout.write = stderr.write.bind(stderr) as NodeJS.WriteStream['write'];
  }

  [Symbol.dispose](): void {
    Object.assign(console, this.#original);
    this.#stdout.write = this.#write;
  }
}
