/** The reason and the remedy for each error code of the file system. */
const FAULTS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['ENOSPC', ['the disk is full', 'Make room on it']],
  ['EDQUOT', ["this user's share of the disk is used up", 'Make room in it']],
  ['EFBIG', ['it would be larger than a file may be', 'Raise the limit (ulimit -f)']],
  ['EISDIR', ['a folder stands in its place', 'Move the folder away']],
  ['ENOTEMPTY', ['a folder stands in its place', 'Move the folder away']],
  ['EEXIST', ['something else stands in its place', 'Move it away']],
  ['ENOTDIR', ['a part of its path is no folder', 'Correct the path']],
  ['ENOENT', ['its folder does not exist', 'Make the folder']],
  ['EACCES', ['this user may not', 'Give this user the right']],
  ['EPERM', ['this user may not', 'Give this user the right']],
  ['EROFS', ['the file system is read-only', 'Make it writable']],
]);

export interface FileFault {
  /** Includes the error's code, e.g. `the disk is full (ENOSPC)`. */
  readonly why: string;
  /** The start of a sentence: `Make room on it`. */
  readonly advice: string;
}

export function fileFault(error: unknown): FileFault {
  const code = codeOf(error);
  const [why, advice] = FAULTS.get(code) ?? ['the file system refused', 'Look after the disk'];
  return { why: `${why} (${code})`, advice };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? 'unknown error';
}
