import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { replaceFile } from './write-whole.ts';

/**
 * Writes a credential to a path that the user selected. A file is replaced by a new one that only this user can read.
 * For a link, that is the file that it points to. A device or a pipe is written to directly.
 * @throws the error of the file system. The file is then as it was before.
 */
export function writePrivately(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) replaceFile(path, text);
  else if (found.isFile() || found.isDirectory()) replaceFile(realpathSync(path), text);
  else writeFileSync(path, text);
}
