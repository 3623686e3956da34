import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Long enough for an editor that writes a file in several steps. */
const QUIET_MS = 60;
const SOURCE = /^[^.].*\.(?:[cm]?[jt]s|json|ya?ml)$/;
const TEST = /\.test\.[cm]?[jt]s$/;

/** Watches the folders of some files, and reports when a source file in one of them was saved. */
export class WatchedFiles implements Disposable {
  readonly #onSave: (file: string) => void;
  readonly #folders = new Map<string, FSWatcher>();
  #quiet: NodeJS.Timeout | undefined;

  constructor(onSave: (file: string) => void) {
    this.#onSave = onSave;
  }

  /** @param files absolute paths; their folders are watched from now on. */
  add(files: readonly string[]): void {
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      if (this.#folders.has(folder)) continue;
      try {
        const watcher = watch(folder, (_, name) => this.#changed(name));
        watcher.on('error', () => this.#folders.delete(folder));
        this.#folders.set(folder, watcher);
      } catch {
        // The folder is gone. Loading the module then reports that.
      }
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #changed(name: string | null): void {
    if (name === null || !SOURCE.test(basename(name)) || TEST.test(name)) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#onSave(name), QUIET_MS);
  }
}
