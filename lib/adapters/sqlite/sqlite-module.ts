import { StateFileError } from './sqlite-failure.ts';

/**
 * Loads node:sqlite at its first use: Node before 22.13 does not have it, and Node 22 and 23 print a warning when it is
 * loaded. Code that uses no state file must run without it.
 */
export async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite');
  } catch (cause) {
    throw new StateFileError('this Node.js has no SQLite, which the state file needs: use Node.js 24', { cause });
  }
}
