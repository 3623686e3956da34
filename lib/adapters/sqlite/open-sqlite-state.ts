import { InfrastructureError } from '../../core/errors.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import { type DelayQueue, type FifoQueue, MAX_RECEIVE_COUNT } from '../../ports/queue.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { OnRequest } from '../request-observer.ts';
import { Arrivals } from './arrivals.ts';
import { ClockSteps } from './clock-steps.ts';
import { type FileSystemType, fileSystemType, refuseNetworkFileSystem } from './file-system.ts';
import { ItemTable } from './item-table.ts';
import { SqliteClusterObjects } from './sqlite-cluster-objects.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteDeadLetters } from './sqlite-dead-letters.ts';
import { SqliteDelayQueue } from './sqlite-delay-queue.ts';
import { isBusy, StateFileError } from './sqlite-failure.ts';
import { SqliteFifoQueue } from './sqlite-fifo-queue.ts';
import { loadSqlite } from './sqlite-module.ts';
import { SqliteProcesses } from './sqlite-processes.ts';
import { forgetIds, type QueueParts, registerQueue } from './sqlite-queues.ts';
import { SqliteStateStore } from './sqlite-state-store.ts';
import { createStateFile, makeStateDirectory, type OnStatement, openStateFile, stateFilePath } from './state-file.ts';

export interface SqliteStateOptions {
  /** Created when it does not exist. */
  readonly directory: string;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'id'>;
  /** Never changes in the life of a file, because keys depend on it. */
  readonly shards?: number;
  /** The name of this process as a receiver of messages. */
  readonly receiver?: string;
  readonly maxReceiveCount?: number;
  readonly onRequest?: OnRequest;
  readonly onStatement?: OnStatement;
  /** For tests, which cannot mount a network file system everywhere. */
  readonly fileSystemTypeOf?: FileSystemType;
}

/** The durable state of one deployment on one machine. Any number of processes may have it open. */
export interface SqliteState {
  readonly path: string;
  readonly store: StateStore;
  readonly deadLetters: DeadLetters;
  /** The objects of the embedded cluster. Empty when there is no such cluster. */
  readonly clusterObjects: SqliteClusterObjects;
  readonly processes: SqliteProcesses;
  /** @param name without `.fifo`. The dead letters are in the queue `<name>-dead`. */
  fifoQueue(name: string): Promise<FifoQueue>;
  delayQueue(name: string): Promise<DelayQueue>;
  /** Makes all present and later requests fail. */
  close(): void;
}

const DEFAULT_SHARDS = 4;

/** The settings of the connection: a write-ahead log, full synchronisation on macOS, and a size limit for the log. */
const SETTINGS = [
  'PRAGMA fullfsync = ON',
  'PRAGMA checkpoint_fullfsync = ON',
  'PRAGMA journal_size_limit = 67108864',
  'PRAGMA wal_autocheckpoint = 4000',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA temp_store = MEMORY',
];

const READ_META = 'SELECT value FROM meta WHERE name = ?';
const WRITE_META = 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING';
const SHARDS = 'shards';

/**
 * Opens the state file of a directory, and creates it if it does not exist.
 * @throws StateFileError when a person has to act; InfrastructureError when SQLite fails.
 */
export async function openSqliteState(options: SqliteStateOptions): Promise<SqliteState> {
  const { directory, clock, entropy, shards = DEFAULT_SHARDS, onStatement = () => {}, onRequest = () => {} } = options;
  const sqlite = await loadSqlite();
  makeStateDirectory(directory);
  refuseNetworkFileSystem(directory, options.fileSystemTypeOf ?? fileSystemType);
  const path = stateFilePath(directory);
  createStateFile(sqlite, path, entropy.id(), onStatement);
  const database = await whenUnlocked(clock, () => openStateFile(sqlite, path));
  const connection = new SqliteConnection({ database, path, clock, onStatement });
  try {
    await prepare(connection, shards);
  } catch (error) {
    connection.close();
    throw error;
  }
  const items = new ItemTable(connection, onRequest);
  connection.housekeeping = (nowMs) => {
    const areItemsLeft = items.expire(nowMs);
    return forgetIds(connection, nowMs) || areItemsLeft;
  };
  const parts: QueueParts = {
    connection,
    arrivals: new Arrivals(connection),
    steps: new ClockSteps(clock),
    onRequest,
    maxReceiveCount: options.maxReceiveCount ?? MAX_RECEIVE_COUNT,
    receiver: options.receiver ?? '',
  };
  return {
    path,
    store: new SqliteStateStore(items, shards),
    deadLetters: new SqliteDeadLetters(parts),
    clusterObjects: new SqliteClusterObjects(connection),
    processes: new SqliteProcesses(connection, parts.arrivals),
    async fifoQueue(name) {
      await registerQueue(connection, name, 'fifo');
      return new SqliteFifoQueue(name, parts);
    },
    async delayQueue(name) {
      await registerQueue(connection, name, 'delayed');
      return new SqliteDelayQueue(name, parts);
    },
    close() {
      connection.close();
      parts.arrivals.close();
    },
  };
}

/** How often, and at what interval, it tries to open a file while another process repairs the log after a crash. */
const PAUSE_MS = 20;
const PATIENCE_MS = 10_000;

async function whenUnlocked<Answer>(clock: Clock, attempt: () => Answer): Promise<Answer> {
  for (const untilMs = clock.monotonic() + PATIENCE_MS; ; await clock.sleep(PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const isLocked = error instanceof InfrastructureError && isBusy(error.cause);
      if (!isLocked || clock.monotonic() >= untilMs) throw error;
    }
  }
}

/** @throws StateFileError when the file was created for another number of shards. */
async function prepare(connection: SqliteConnection, shards: number): Promise<void> {
  await connection.read(() => {
    for (const setting of SETTINGS) connection.exec(setting);
    const mode = connection.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
    if (mode !== 'wal') throw new InfrastructureError(`the state file ${connection.path} takes no write-ahead log`);
  });
  // This writes, so it also shows whether the file can be written.
  const stored = await connection.write(
    () => {
      connection.run(WRITE_META, SHARDS, String(shards));
      return connection.get<{ value: string }>(READ_META, SHARDS)?.value;
    },
    { durable: true },
  );
  if (stored === String(shards)) return;
  throw new StateFileError(
    `${connection.path} was made for ${stored} shards, and cannot be opened with ${shards}: set the number back`,
    { data: { path: connection.path } },
  );
}
