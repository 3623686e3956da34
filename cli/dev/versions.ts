import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import type { VersionOptions } from './run-version.ts';
import { VersionProcess } from './version-process.ts';

interface Version {
  readonly process: VersionProcess;
  isReady: boolean;
}

/** The versions of the author's module: the one that runs, and the next one while it is loaded. */
export class Versions {
  readonly #options: VersionOptions;
  readonly #module: string;
  readonly #terminal: Terminal;
  readonly #onRead: (files: readonly string[]) => void;
  #running: Version | undefined;
  #next: Version | undefined;
  #stopping = false;

  /** @param module its name, for the person who reads. @param onRead told which files a version was made of. */
  constructor(options: VersionOptions, module: string, terminal: Terminal, onRead: (files: readonly string[]) => void) {
    this.#options = options;
    this.#module = module;
    this.#terminal = terminal;
    this.#onRead = onRead;
  }

  /** Loads the module as it is now. The version that runs goes on until the new one is ready. */
  async load(): Promise<void> {
    const before = this.#next;
    this.#next = undefined;
    await before?.process.stop();
    if (this.#stopping) return;
    const version: Version = {
      isReady: false,
      process: new VersionProcess(this.#options, {
        onRead: this.#onRead,
        onReady: (kinds) => void this.#switchTo(version, kinds),
        onEnd: () => this.#ended(version),
      }),
    };
    this.#next = version;
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([this.#running?.process.stop(), this.#next?.process.stop()]);
  }

  /** Two versions never run passes at the same time: what the next pass writes is the new one's. */
  async #switchTo(version: Version, kinds: readonly string[]): Promise<void> {
    if (this.#next !== version || this.#stopping) return;
    version.isReady = true;
    const before = this.#running;
    this.#running = version;
    this.#next = undefined;
    await before?.process.stop();
    version.process.run();
    this.#terminal.err(`${this.#module} runs: ${kinds.join(', ')}`);
  }

  #ended(version: Version): void {
    if (this.#stopping) return;
    if (this.#next === version) {
      this.#next = undefined;
      const goesOn = this.#running === undefined ? 'nothing runs' : 'the version before goes on';
      this.#terminal.err(`${this.#module} is not used: ${goesOn}. Correct it and save it.`);
    } else if (this.#running === version) {
      this.#running = undefined;
      this.#terminal.err(`${this.#module} has ended. Correct it and save it to run it again.`);
    }
  }
}
