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

/** The interval in which a process looks for processes that are gone. */
const PROCESSES_MS = 1_000;

/** The state of an installation on this machine, and its queues. */
export interface LocalState {
  readonly sqlite: SqliteState;
  readonly ports: Pick<InstallationPorts, 'store' | 'queues' | 'wakes'>;
  /** Whether no other process uses the state. */
  isAlone(): Promise<boolean>;
}

/**
 * Opens the state of a state directory, and creates it when there is none.
 * @param groups the installed controller groups.
 * @param owner the name of this process in received messages.
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

/** Opens only the table of a state directory, for a command that writes nothing. @throws StateFileError */
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
 * Registers this process as a user of the state. When it is gone, others give back its leases and messages. While it
 * lives, it does this for others. `owned` ends the registration.
 */
async function joinLocalState({ sqlite }: LocalState, owner: string, owned: AsyncDisposableStack): Promise<void> {
  const { processes } = sqlite;
  await processes.join(owner);
  const stop = new AbortController();
  const giveBack = async () => {
    // A locked or full file must not end the process. The next attempt follows in a second.
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

/** Opens the state of a directory and registers this process as a user; `owned` ends that. */
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

/** Copies the state of a directory while processes use it. @throws StateFileError */
export function backUpLocalState(directory: string, file: string): Promise<void> {
  return backUpState(directory, file, systemEntropy);
}

/**
 * Replaces the state of a directory by a copy.
 * @returns the path of the old state; undefined when there was none.
 * @throws StateFileError
 */
export function restoreLocalState(file: string, directory: string): Promise<string | undefined> {
  return restoreState(file, directory, systemEntropy);
}

/** @returns the faults in the state of a directory; empty when it is sound. @throws StateFileError */
export function checkLocalState(directory: string): Promise<string[]> {
  return checkStateFile(directory);
}
