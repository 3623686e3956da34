import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  openSqliteState,
  type SqliteState,
  type SqliteStateOptions,
} from '../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

let opened = 0;

/** Ids that are unique in this process. */
export const entropy = {
  id() {
    opened += 1;
    return `${process.pid}-${opened}`;
  },
};

export interface TestState {
  readonly directory: string;
  readonly state: SqliteState;
  /** All dead letters of the file. */
  deadLetters(): Promise<{ body: string; messageGroupId: string; reason?: string }[]>;
  /** Closes the state, and removes the directory. */
  close(): Promise<void>;
}

export function temporaryDirectory(parent = tmpdir()): string {
  return mkdtempSync(join(parent, 'evenkeel-sqlite-'));
}

/** Opens a state of its own, on a manual clock by default. */
export async function openTestState(options: Partial<SqliteStateOptions> = {}): Promise<TestState> {
  const directory = options.directory ?? temporaryDirectory();
  const state = await openSqliteState({ clock: new ManualClock(), entropy, ...options, directory });
  return {
    directory,
    state,
    deadLetters: async () =>
      queryFile(state.path, 'SELECT body, group_id, reason FROM dead_letter ORDER BY id').map(
        ({ body, group_id, reason }) => ({
          body: String(body),
          messageGroupId: String(group_id ?? ''),
          ...(reason !== null && { reason: String(reason) }),
        }),
      ),
    async close() {
      state.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Reads a state file without the adapter. */
export function queryFile(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Changes a state file without the adapter. */
export function changeFile(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
