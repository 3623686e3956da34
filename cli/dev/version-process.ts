import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../lib/deployment/package/package-root.ts';
import { fromRunner, RUN } from './dev-message.ts';
import type { VersionOptions } from './run-version.ts';

export interface VersionEvents {
  onRead(files: readonly string[]): void;
  onReady(kinds: readonly string[]): void;
  onEnd(): void;
}

/** The process of one version of the author's module. */
export class VersionProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor(options: VersionOptions, { onRead, onReady, onEnd }: VersionEvents) {
    const inSources = import.meta.url.endsWith('.ts');
    const entry = inSources ? ['cli', 'dev-runner.ts'] : ['dist', 'cli', 'dev-runner.js'];
    this.#child = fork(join(packageRoot(), ...entry), [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise.then(onEnd);
    this.#child.once('exit', () => resolve());
    this.#child.once('error', () => resolve());
    this.#child.on('message', (message) => {
      const parsed = fromRunner.parse(message);
      if (parsed.type === 'read') onRead(parsed.files);
      else onReady(parsed.kinds);
    });
  }

  /** Tells the process that the previous version has ended. */
  run(): void {
    if (this.#child.connected) this.#child.send(RUN);
  }

  /** Ends the process after its running passes. Resolves when it has ended. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM');
    await this.ended;
  }
}
