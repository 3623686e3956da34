import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { checkFileHeader, readFileHeader } from './file-header.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { StateFileError, sqliteFailure } from './sqlite-failure.ts';

export type Sqlite = typeof import('node:sqlite');

/** Called before each statement. Tests count statements with it, and end a process between two of them. */
export type OnStatement = (sql: string) => void;

const NAME = 'evenkeel.db';
/** The end of the name of an incomplete file. */
const UNFINISHED = '.unfinished-';

/** Only this user may read it, because the state names objects of the cluster. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

export function stateFilePath(directory: string): string {
  return join(directory, NAME);
}

/** @throws StateFileError */
export function makeStateDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw directoryFailure(directory, parentFailure(directory) ?? cause);
  }
}

/**
 * The reason why the nearest existing directory cannot be written: Node reports a read-only file system as a missing
 * directory.
 */
function parentFailure(directory: string): unknown {
  let nearest = resolve(directory);
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Creates the state file if it does not exist. It gets its name only when it is complete. So a killed process leaves no
 * state file, and when two processes start at once, one of them creates it.
 * @param unique identifies this attempt among all processes.
 */
export function createStateFile(sqlite: Sqlite, path: string, unique: string, onStatement: OnStatement): void {
  if (existsSync(path)) return;
  const unfinished = `${path}${UNFINISHED}${unique}`;
  try {
    writeEmptyFile(unfinished);
    const database = new sqlite.DatabaseSync(unfinished);
    try {
      const statements = [
        'PRAGMA synchronous = FULL',
        `BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
        // This runs last: before it, the header is in the file itself, where it can be read without SQLite.
        'PRAGMA journal_mode = WAL',
      ];
      for (const statement of statements) {
        onStatement(statement);
        database.exec(statement);
      }
    } finally {
      database.close();
    }
    publish(unfinished, path);
  } catch (cause) {
    // Another process has created the file first, and has removed the unfinished file of this one.
    if (existsSync(path)) return;
    const failure = sqliteFailure(path, cause);
    throw failure === cause ? directoryFailure(dirname(path), cause) : failure;
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
  }
}

/** Gives a complete file its name, unless a file with that name exists. */
export function publish(complete: string, path: string): void {
  syncPath(complete);
  try {
    linkSync(complete, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    // On a file system without links, two processes that start at once for the first time cannot be separated.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    if (!existsSync(path)) renameSync(complete, path);
  }
  syncPath(dirname(path));
}

/**
 * The files that this process has open, with the number of uses. When a process closes any descriptor of a file, all
 * its locks on the file end (POSIX). So only SQLite may open one of these files.
 */
const openHere = new Map<string, number>();

/**
 * Opens an existing file for writing. @throws StateFileError when it is not a state file; InfrastructureError of
 * SQLite.
 */
export function openStateFile(sqlite: Sqlite, path: string): DatabaseSync {
  recognise(sqlite, path);
  removeUnfinished(path);
  // The file may have other access rights, from an earlier release or from a person who copied it.
  if ((statSync(path).mode & 0o077) !== 0) fileAccess(path, () => chmodSync(path, FILE_MODE));
  try {
    const database = new sqlite.DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: false });
    openHere.set(resolve(path), (openHere.get(resolve(path)) ?? 0) + 1);
    return database;
  } catch (cause) {
    throw sqliteFailure(path, cause);
  }
}

/** Closes a file of `openStateFile`. */
export function closeStateFile(path: string, database: DatabaseSync): void {
  database.close();
  const left = (openHere.get(resolve(path)) ?? 1) - 1;
  if (left > 0) openHere.set(resolve(path), left);
  else openHere.delete(resolve(path));
}

/**
 * Checks that the file is a state file, without changing it.
 * @throws StateFileError
 */
export function recognise(sqlite: Sqlite, path: string): void {
  if (openHere.has(resolve(path))) return;
  const header = fileAccess(path, () => readFileHeader(path));
  if (header === undefined) throw new StateFileError(`there is no state file ${path}`, { data: { path } });
  checkFileHeader(path, header);
  // Changes of a newer release may be only in the log.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  let userVersion: number;
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: 0 });
    try {
      userVersion = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    } finally {
      database.close();
    }
  } catch (cause) {
    throw sqliteFailure(path, cause);
  }
  checkFileHeader(path, { applicationId: APPLICATION_ID, userVersion });
}

/** @throws StateFileError when the system refuses access. */
function fileAccess<Answer>(path: string, access: () => Answer): Answer {
  try {
    return access();
  } catch (cause) {
    const { code = 'an unknown error' } = cause as NodeJS.ErrnoException;
    throw new StateFileError(`${path} cannot be used (${code}): let this user own it, and read and write it`, {
      cause,
      data: { path },
    });
  }
}

/**
 * Creates a file that only this user can read.
 * @throws when the file exists.
 */
export function writeEmptyFile(path: string): void {
  closeSync(openSync(path, 'wx', FILE_MODE));
}

/** Writes a file's content, or a directory's names, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Removes the unfinished files of killed processes. A process that is still creating its file then finds that another
 * one was created.
 */
function removeUnfinished(path: string): void {
  const directory = dirname(path);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(NAME + UNFINISHED)) rmSync(join(directory, name), { force: true });
  }
}

function directoryFailure(directory: string, cause: unknown): StateFileError {
  const { code = 'an unknown error' } = cause as NodeJS.ErrnoException;
  const advice =
    code === 'EROFS'
      ? 'its file system is read-only: mount it for writing'
      : code === 'ENOSPC'
        ? 'the disk is full: free some space'
        : 'check that it is a directory and that this user may write there';
  return new StateFileError(`the state directory ${directory} cannot be used (${code}): ${advice}`, {
    cause,
    data: { path: directory },
  });
}
