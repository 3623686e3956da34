import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { fileFault } from '../../lib/deployment/files/file-fault.ts';
import { removeFile } from '../../lib/deployment/files/write-whole.ts';
import { removeRunRecord } from './run-record.ts';

const LOCK = 'lock';
/** The file with the token of the services that run from this folder. */
export const TOKEN_FILE = 'token';

/** The folder of one `evenkeel start`, which holds it until it ends. */
export interface StateDirectory {
  readonly path: string;
  /** The path of a file in it. */
  file(name: string): string;
  release(): void;
}

/**
 * Takes the folder for this process. A lock of a process that is gone is taken over.
 * @throws EvenkeelError ALREADY_RUNNING with the process that holds it; STATE_DIRECTORY when the folder cannot be used.
 */
export function claimStateDirectory(directory: string, pid: number): StateDirectory {
  const path = resolve(directory);
  const lock = join(path, LOCK);
  const own = lockText(pid);
  try {
    makeFolder(path);
    // Its files have the address of the API server, and keys.
    chmodSync(path, 0o700);
    for (let attempt = 0; ; attempt++) {
      if (writeIfAbsent(lock, own)) break;
      const held = readLock(lock);
      const holder = held === undefined ? undefined : livingHolder(held);
      if (holder !== undefined) throw alreadyRunning(path, holder);
      if (attempt > 3) throw alreadyRunning(path, 0);
      // Only the lock that was checked is removed: another process may have put its own there since.
      if (held !== undefined && readText(lock) === held) rmSync(lock, { force: true });
    }
  } catch (error) {
    if (error instanceof EvenkeelError) throw error;
    const { why, advice } = fileFault(error);
    const file = (error as NodeJS.ErrnoException).path ?? path;
    const place = file === path ? why : `${file}: ${why}`;
    throw new EvenkeelError(
      'STATE_DIRECTORY',
      `${path} cannot be used as the state directory: ${place}. ${advice}, or name another one with --state-dir DIR.`,
      { cause: error },
    );
  }
  return {
    path,
    file: (name) => join(path, name),
    release: () => {
      if (readText(lock) !== own) return;
      removeRunRecord(path);
      removeFile(join(path, TOKEN_FILE));
      removeFile(lock);
    },
  };
}

/** The process that runs from a folder; undefined when there is none. */
export function runsHere(directory: string): number | undefined {
  const held = readText(join(directory, LOCK));
  return held === undefined ? undefined : livingHolder(held);
}

function alreadyRunning(path: string, pid: number): EvenkeelError {
  const stop = pid === 0 ? 'Try again' : `Stop it (Ctrl-C in its terminal, or kill ${pid})`;
  return new EvenkeelError(
    'ALREADY_RUNNING',
    `evenkeel runs from ${path} already${pid === 0 ? '' : `, with process id ${pid}`}. ${stop}, or start this one from another folder with --state-dir DIR.`,
    { data: { pid } },
  );
}

/** A process id is used again after a while, so the lock also has the start time of the process. */
function lockText(pid: number): string {
  return `${pid} ${processStart(pid) ?? ''}`.trim();
}

/** The process that holds a lock, if it is alive. */
function livingHolder(text: string): number | undefined {
  const pid = Number(text.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  return lockText(pid) === text ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * In clock ticks since the machine's start; undefined without /proc. It is field 22, counted after the command's name
 * in brackets.
 */
function processStart(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function writeIfAbsent(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no lock. @throws the error of the file system when the file is not ours. */
function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // An error of reading has no path, unlike one of opening.
    throw Object.assign(error as Error, { path });
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * One folder after the other. The recursive option of Node.js never ends on a file system that answers ENOENT for a
 * parent that exists.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it since.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
