import type { Terminal } from '../../lib/deployment/terminal/terminal.ts';
import type { VersionEvents, VersionProcess } from './version-process.ts';

type RunningProcess = Pick<VersionProcess, 'run' | 'stop'>;

interface Version {
  readonly process: RunningProcess;
}

/** The versions of the author's module: the running one, and the next one while it is loaded. */
export class Versions {
  readonly #start: (events: VersionEvents) => RunningProcess;
  readonly #module: string;
  readonly #terminal: Terminal;
  readonly #onRead: (files: readonly string[]) => void;
  #running: Version | undefined;
  #next: Version | undefined;
  #stopping = false;
  #saves = 0;
  /** Replacements of a version run one after the other, because each one waits for a process to end. */
  #lastStep: Promise<void> = Promise.resolve();

  /**
   * @param start starts the process of a version.
   * @param module its name, for messages.
   * @param onRead called with the files of a version.
   */
  constructor(
    start: (events: VersionEvents) => RunningProcess,
    module: string,
    terminal: Terminal,
    onRead: (files: readonly string[]) => void,
  ) {
    this.#start = start;
    this.#module = module;
    this.#terminal = terminal;
    this.#onRead = onRead;
  }

  /** Loads the present version of the module. The running version continues until the new one is ready. */
  async load(): Promise<void> {
    this.#saves += 1;
    const save = this.#saves;
    await this.#inTurn(() => this.#loadNext(save));
  }

  /** Ends all versions. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([this.#running?.process.stop(), this.#next?.process.stop(), this.#lastStep]);
  }

  async #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#lastStep.then(() => (this.#stopping ? undefined : step()));
    this.#lastStep = done.catch(() => undefined);
    await done;
  }

  async #loadNext(save: number): Promise<void> {
    const before = this.#next;
    this.#next = undefined;
    await before?.process.stop();
    // There was a later save, which loads the module again.
    if (this.#stopping || save !== this.#saves) return;
    const version: Version = {
      process: this.#start({
        onRead: this.#onRead,
        onReady: (kinds) => void this.#inTurn(() => this.#switchTo(version, kinds)),
        onEnd: () => this.#ended(version),
      }),
    };
    this.#next = version;
  }

  /** Two versions never run passes at the same time, so every pass after this is by the new version. */
  async #switchTo(version: Version, kinds: readonly string[]): Promise<void> {
    if (this.#next !== version) return;
    const before = this.#running;
    this.#running = version;
    this.#next = undefined;
    await before?.process.stop();
    // It may have ended during the wait.
    if (this.#running !== version || this.#stopping) return;
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
