import { openSqliteState, type SqliteState } from '../lib/adapters/sqlite/open-sqlite-state.ts';
import { stateFilePath } from '../lib/adapters/sqlite/state-file.ts';
import { backUpState, checkStateFile, removeState, restoreState } from '../lib/adapters/sqlite/state-maintenance.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import type { InstallationPorts, InstalledQueues } from '../lib/deployment/installation/installation.ts';
import {
  LANES,
  LOCAL_STAGE,
  queueName,
  TABLE_SHARDS,
  wakeQueueName,
} from '../lib/deployment/installation/resource-names.ts';

const systemClock = new SystemClock();
const systemEntropy = new SystemEntropy();

/** How often a process looks for others that are gone. */
const PROCESSES_MS = 1_000;

/** The state of an installation on this machine, and its queues. */
export interface LocalState {
  readonly sqlite: SqliteState;
  readonly ports: Pick<InstallationPorts, 'store' | 'queues' | 'wakes'>;
  /** Whether no other process works on it. */
  isAlone(): Promise<boolean>;
}

/**
 * Opens the state of a state directory, and makes it if there is none.
 * @param groups the controller groups that are installed.
 * @param owner names this process in what it receives.
 * @throws StateFileError
 */
export async function openLocalState(directory: string, groups: readonly string[], owner: string): Promise<LocalState> {
  const sqlite = await openSqliteState({
    directory,
    clock: systemClock,
    entropy: systemEntropy,
    shards: TABLE_SHARDS,
    receiver: owner,
  });
  try {
    const queues = groups.map(async (group) => {
      const lanes = LANES.map(async (lane) => [lane, await sqlite.fifoQueue(queueName(LOCAL_STAGE, group, lane))]);
      return [group, Object.fromEntries(await Promise.all(lanes))];
    });
    const wakes = await sqlite.delayQueue(wakeQueueName(LOCAL_STAGE));
    const byGroup = Object.fromEntries(await Promise.all(queues)) as InstalledQueues;
    const { store, processes } = sqlite;
    const isAlone = async () => {
      await processes.giveBackOfGone();
      return (await processes.others()).length === 0;
    };
    return { sqlite, ports: { store, queues: byGroup, wakes }, isAlone };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/**
 * Opens only the table of a state directory, for a command that writes nothing.
 * @throws StateFileError
 */
export async function openLocalTable(directory: string, owner: string): Promise<Pick<SqliteState, 'store' | 'close'>> {
  return await openSqliteState({
    directory,
    clock: systemClock,
    entropy: systemEntropy,
    shards: TABLE_SHARDS,
    receiver: owner,
  });
}

/**
 * Makes this process one that works on the state: what it holds is given back when it is gone, and it gives back what others
 * held. `owned` ends that.
 */
async function joinLocalState({ sqlite }: LocalState, owner: string, owned: AsyncDisposableStack): Promise<void> {
  const { processes } = sqlite;
  await processes.join(owner);
  const stop = new AbortController();
  const giveBack = async () => {
    // A file that is locked or full is no reason to end: it is looked again.
    await processes.giveBackOfGone().catch(() => {});
  };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await systemClock.sleep(PROCESSES_MS, stop.signal).catch(() => {});
      if (!stop.signal.aborted) await giveBack();
    }
  })();
  owned.defer(async () => {
    stop.abort();
    await watching;
    await processes.leave();
  });
}

/** Opens the state of a directory as one of the processes that work on it; `owned` ends that. */
export async function joinState(
  directory: string,
  groups: readonly string[],
  owner: string,
  owned: AsyncDisposableStack,
): Promise<LocalState> {
  const state = await openLocalState(directory, groups, owner);
  owned.defer(() => state.sqlite.close());
  await joinLocalState(state, owner, owned);
  return state;
}

/** The file that holds the state of a state directory, whether or not there is one. */
export function localStateFile(directory: string): string {
  return stateFilePath(directory);
}

/** Removes the state of a state directory. @throws StateFileError when it is in use. */
export function removeLocalState(directory: string): Promise<void> {
  return removeState(directory);
}

/** Copies the state of a directory, while processes go on using it. @throws StateFileError */
export function backUpLocalState(directory: string, file: string): Promise<void> {
  return backUpState(directory, file, systemEntropy);
}

/**
 * Puts a copy in the place of the state of a directory.
 * @returns where the state that was there lies now; undefined when there was none.
 * @throws StateFileError
 */
export function restoreLocalState(file: string, directory: string): Promise<string | undefined> {
  return restoreState(file, directory, systemEntropy);
}

/** @returns what is wrong with the state of a directory; nothing when it is sound. @throws StateFileError */
export function checkLocalState(directory: string): Promise<string[]> {
  return checkStateFile(directory);
}
