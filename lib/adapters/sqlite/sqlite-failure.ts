import { EvenkeelError, InfrastructureError } from '../../core/errors.ts';

/** The state file or its directory cannot be used, and a person has to act. Nothing in it was changed. */
export class StateFileError extends EvenkeelError {
  constructor(message: string, options: { cause?: unknown; data?: { path: string } } = {}) {
    super('STATE_FILE', message, options);
  }
}

// Primary result codes of SQLite (https://sqlite.org/rescode.html).
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** The primary result code of an error of node:sqlite; undefined for any other error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Whether another process holds the lock. The same statement succeeds later. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The message never contains the text of SQLite, which may contain stored data. The cause contains it. */
export function sqliteFailure(path: string, cause: unknown): unknown {
  const code = resultCode(cause);
  if (code === undefined) return cause;
  return new InfrastructureError(`the state file ${path} ${explain(code)}`, { cause, data: { path, code } });
}

function explain(code: number): string {
  switch (code) {
    case BUSY:
    case LOCKED:
      return 'is locked by another process: it is tried again; stop the other process if this lasts';
    case READONLY:
      return 'is read-only: mount its file system for writing, and let this user write the file and its directory';
    case FULL:
      return 'cannot grow: the disk is full. Free some space; nothing that was acknowledged is lost';
    case IO_ERROR:
      return 'could not be read or written: check that its disk works and has space';
    case CORRUPT:
    case NOT_A_DATABASE:
      return 'is damaged: stop evenkeel, and restore a backup';
    case CANNOT_OPEN:
      return 'cannot be opened: check that its directory exists and that this user may write there';
    default:
      return `refused a statement with SQLite code ${code}: look at the cause`;
  }
}
