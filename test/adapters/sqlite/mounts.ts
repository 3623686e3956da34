import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from './test-state.ts';

export interface Mount {
  readonly directory: string;
  /** No process may have a file open there. */
  makeReadOnly(): void;
  unmount(): void;
}

/** Mounts an in-memory file system of this size. @throws when this process may not mount. */
export function mountSmall(size: string): Mount {
  const directory = temporaryDirectory();
  const mount = (...args: string[]) => {
    const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`mount failed: ${error?.message ?? stderr}`);
  };
  try {
    mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory);
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
  return {
    directory,
    makeReadOnly: () => mount('-o', 'remount,ro', directory),
    unmount() {
      spawnSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The reason why no file system can be mounted here; undefined when one can. */
export function whyNoMount(): string | undefined {
  try {
    mountSmall('64k').unmount();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
