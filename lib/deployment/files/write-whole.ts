import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EvenkeelError } from '../../core/errors.ts';
import { fileFault } from './file-fault.ts';

/**
 * Writes a file that only this user can read. Readers see the whole file or no file, also after a failure.
 * @throws EvenkeelError CANNOT_WRITE, with the file, the reason and the remedy.
 */
export function writeWhole(path: string, text: string): void {
  try {
    replaceFile(path, text);
  } catch (error) {
    const { why, advice } = fileFault(error);
    throw new EvenkeelError(
      'CANNOT_WRITE',
      `${path} cannot be written: ${why}. ${advice}, or name another folder with --state-dir DIR.`,
      { cause: error },
    );
  }
}

/**
 * Replaces a file by a new one that only this user can read. The old file is not written to, because another program may
 * have opened it.
 * @throws the error of the file system. The file is then as it was before.
 */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.new`;
  try {
    if (lstatSync(unfinished, { throwIfNoEntry: false })?.isFile()) rmSync(unfinished, { force: true });
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    removeFile(unfinished);
    throw error;
  }
}

/** Removes a file if that is possible. Anything else under the path is not ours and stays. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A file that stays is harmless: a record without a live lock is ignored.
  }
}
