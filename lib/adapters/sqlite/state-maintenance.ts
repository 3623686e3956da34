import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Entropy } from '../../ports/clock.ts';
import { isBusy, StateFileError, sqliteFailure } from './sqlite-failure.ts';
import { loadSqlite } from './sqlite-module.ts';
import {
  closeStateFile,
  makeStateDirectory,
  openStateFile,
  publish,
  recognise,
  type Sqlite,
  stateFilePath,
  syncPath,
  writeEmptyFile,
} from './state-file.ts';

/**
 * Checks a state file by SQLite's rules and by the rules of the queues. @returns the errors; empty when there are none.
 */
export async function checkStateFile(directory: string): Promise<string[]> {
  const sqlite = await loadSqlite();
  const path = stateFilePath(directory);
  recognise(sqlite, path);
  return withDatabase(path, new sqlite.DatabaseSync(path, { readOnly: true, timeout: 1_000 }), faults);
}

/**
 * Copies the state to a file that only this user can read, while processes continue to use the state. The copy is
 * consistent and has all writes that were acknowledged before. The file gets its name when it is complete.
 * @throws StateFileError when the file exists.
 */
export async function backUpState(directory: string, backupPath: string, entropy: Pick<Entropy, 'id'>): Promise<void> {
  const sqlite = await loadSqlite();
  const path = stateFilePath(directory);
  recognise(sqlite, path);
  if (existsSync(backupPath)) {
    throw new StateFileError(`${backupPath} exists, and was left as it is: name another file for the backup`, {
      data: { path: backupPath },
    });
  }
  const unfinished = `${backupPath}.unfinished-${entropy.id()}`;
  try {
    writeEmptyFile(unfinished);
    withDatabase(path, new sqlite.DatabaseSync(path, { readOnly: true, timeout: 1_000 }), (database) => {
      database.prepare('VACUUM INTO ?').run(unfinished);
    });
    publish(unfinished, backupPath);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Replaces the state by a backup. No process may use the state during that. Every cluster in the backup starts a new
 * incarnation, so that no event counts as already observed: the changes after the backup are unknown.
 * @returns the path of the old state; undefined when there was none.
 * @throws StateFileError when the backup is damaged, or the state is in use. Nothing was changed then.
 */
export async function restoreState(
  backupPath: string,
  directory: string,
  entropy: Pick<Entropy, 'id'>,
): Promise<string | undefined> {
  const sqlite = await loadSqlite();
  const path = stateFilePath(directory);
  const id = entropy.id();
  // Another process that starts removes an unfinished file with the other name.
  const unfinished = `${path}.restoring-${id}`;
  recognise(sqlite, backupPath);
  makeStateDirectory(directory);
  try {
    writeEmptyFile(unfinished);
    copyFileSync(backupPath, unfinished);
    // These files exist when the backup was copied by hand while it was in use.
    if (existsSync(`${backupPath}-wal`)) copyFileSync(`${backupPath}-wal`, `${unfinished}-wal`);
    withDatabase(unfinished, new sqlite.DatabaseSync(unfinished), (database) => beginAgain(database, backupPath));
    syncPath(unfinished);
    const before = existsSync(path) ? keepOld(sqlite, path, id) : undefined;
    // This is one step, so a process that is killed here leaves the old state or the new one.
    renameSync(unfinished, path);
    syncPath(dirname(path));
    return before;
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
  }
}

/**
 * Removes the state of a directory, if it exists. No process may use it.
 * @throws StateFileError when a process uses it, or when the file is not a state file. Nothing was changed then.
 */
export async function removeState(directory: string): Promise<void> {
  const path = stateFilePath(directory);
  if (!existsSync(path)) return;
  leaveLog(await loadSqlite(), path, 'stop evenkeel on this machine, and try again');
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  syncPath(dirname(path));
}

/** A cluster without an incarnation is in its first one. */
const NEXT_INCARNATION =
  "UPDATE item SET body = json_set(body, '$.incarnation', coalesce(json_extract(body, '$.incarnation'), 1) + 1) " +
  "WHERE pk LIKE 'R#%' AND sk = 'health'";

function beginAgain(database: DatabaseSync, backupPath: string): void {
  const found = faults(database);
  if (found.length > 0) {
    throw new StateFileError(`the backup ${backupPath} is damaged (${found[0]}): restore another one`, {
      data: { path: backupPath },
    });
  }
  database.exec(`PRAGMA synchronous = FULL; ${NEXT_INCARNATION}; PRAGMA journal_mode = WAL`);
}

/** Gives the old state a second name, when no process uses it. @returns that name. */
function keepOld(sqlite: Sqlite, path: string, id: string): string {
  leaveLog(sqlite, path, 'stop evenkeel on this machine, and restore again');
  const aside = `${resolve(path)}.before-restore-${id}`;
  try {
    linkSync(path, aside);
  } catch {
    // The file system has no links.
    copyFileSync(path, aside, constants.COPYFILE_EXCL);
  }
  return aside;
}

/**
 * Moves everything from the log into the file. SQLite does that only when no other process has the file open. @throws
 * StateFileError
 */
function leaveLog(sqlite: Sqlite, path: string, advice: string): void {
  const database = openStateFile(sqlite, path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (cause) {
    if (!isBusy(cause)) throw sqliteFailure(path, cause);
    throw new StateFileError(`${path} is in use: ${advice}`, { cause, data: { path } });
  } finally {
    closeStateFile(path, database);
  }
}

/**
 * Each group must have messages, and each message a group. A group without messages in flight must be able to deliver.
 */
const GROUPS_WITHOUT_MESSAGES =
  'SELECT count(*) AS count FROM fifo_group AS g WHERE NOT EXISTS ' +
  '(SELECT 1 FROM fifo_message AS m WHERE m.queue = g.queue AND m.group_id = g.group_id)';
const MESSAGES_WITHOUT_GROUP =
  'SELECT count(*) AS count FROM fifo_message AS m WHERE NOT EXISTS ' +
  '(SELECT 1 FROM fifo_group AS g WHERE g.queue = m.queue AND g.group_id = m.group_id)';
const GROUPS_HIDDEN_WRONGLY =
  'SELECT count(*) AS count FROM fifo_group AS g WHERE g.hidden_until > coalesce(' +
  '(SELECT max(m.hidden_until) FROM fifo_message AS m WHERE m.queue = g.queue AND m.group_id = g.group_id), 0)';

function faults(database: DatabaseSync): string[] {
  const damages = database
    .prepare('PRAGMA integrity_check(20)')
    .all()
    .map(({ integrity_check }) => String(integrity_check))
    .filter((text) => text !== 'ok');
  if (damages.length > 0) return damages;
  const count = (sql: string) => Number(database.prepare(sql).get()?.count);
  return [
    [count(GROUPS_WITHOUT_MESSAGES), 'message groups have no messages'] as const,
    [count(MESSAGES_WITHOUT_GROUP), 'messages belong to no group, and would never be received'] as const,
    [count(GROUPS_HIDDEN_WRONGLY), 'message groups are hidden longer than their messages'] as const,
  ].flatMap(([found, text]) => (found > 0 ? [`${found} ${text}`] : []));
}

/** @throws InfrastructureError for an error of SQLite. */
function withDatabase<Answer>(path: string, database: DatabaseSync, work: (database: DatabaseSync) => Answer): Answer {
  try {
    return work(database);
  } catch (error) {
    throw sqliteFailure(path, error);
  } finally {
    database.close();
  }
}
