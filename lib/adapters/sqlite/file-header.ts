import { closeSync, openSync, readSync } from 'node:fs';
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts';
import { StateFileError } from './sqlite-failure.ts';

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** The offsets of big-endian 32-bit numbers in the header (https://sqlite.org/fileformat2.html). */
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

export interface FileHeader {
  readonly applicationId: number;
  readonly userVersion: number;
}

/**
 * Reads a header without SQLite, because SQLite would change the files next to it. Undefined when the file does not
 * exist.
 */
export function readFileHeader(path: string): FileHeader | 'not SQLite' | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, header, 0, HEADER_BYTES, 0);
    if (length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'not SQLite';
    return { applicationId: header.readInt32BE(APPLICATION_ID_AT), userVersion: header.readInt32BE(USER_VERSION_AT) };
  } finally {
    closeSync(file);
  }
}

/** @throws StateFileError when this release cannot read the file. */
export function checkFileHeader(path: string, header: FileHeader | 'not SQLite'): void {
  const data = { path };
  if (header === 'not SQLite' || header.applicationId !== APPLICATION_ID) {
    throw new StateFileError(
      `${path} is not a state file of evenkeel, and was left as it is: move it away, or choose another state directory`,
      { data },
    );
  }
  if (header.userVersion > SCHEMA_VERSION) {
    throw new StateFileError(
      `${path} was written by a newer release (its schema is ${header.userVersion}, this release reads ${SCHEMA_VERSION}), and was left as it is: install the newer release again, or choose another state directory`,
      { data },
    );
  }
  if (header.userVersion < SCHEMA_VERSION) {
    throw new StateFileError(
      `${path} has schema ${header.userVersion}, which no release wrote, and was left as it is: restore a backup, or choose another state directory`,
      { data },
    );
  }
}
