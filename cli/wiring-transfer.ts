import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DynamoDbStateStore } from '../lib/adapters/aws/dynamodb-state-store.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { kindId } from '../lib/core/resource-type.ts';
import { ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { TABLE_SHARDS, tableName } from '../lib/deployment/installation/resource-names.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { ExportedInventory } from '../lib/engine/transfer/export-state.ts';
import type { ImportOptions } from '../lib/engine/transfer/import-state.ts';
import type { StateStore } from '../lib/ports/state-store.ts';
import type { Invocation } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { runningRecord } from './state/running-record.ts';
import { claimStateDirectory, runsHere } from './state/state-directory.ts';
import { installedRegistry, openInspection, operatorName, processOwner, systemClock, systemEntropy } from './wiring.ts';
import { connectCloud } from './wiring-operator.ts';
import { localStateFile, openLocalTable } from './wiring-state.ts';

/** The installation whose state is exported. */
export interface ExportSource extends AsyncDisposable {
  readonly store: StateStore;
  readonly cluster: ExportedInventory['cluster']['name'];
  readonly kinds: readonly string[];
  /** Whether passes continue, so that the export is soon outdated; undefined when that is not known. */
  readonly isRunning: boolean | undefined;
}

/** The installation that a file is imported into. */
export interface ImportDestination extends Omit<ImportOptions, 'cluster' | 'onImported'>, AsyncDisposable {
  /** The name of the installation, for people. */
  readonly what: string;
}

/**
 * Opens a stage, or a state directory, from which evenkeel may be running or not. @throws EvenkeelError NO_STATE, and
 * others
 */
export async function openExport(invocation: Invocation): Promise<ExportSource> {
  if (invocation.has('stage') || invocation.has('table')) {
    const inspection = await openInspection(invocation);
    const { store, cluster, registry } = inspection;
    const kinds = registry.controllers.map(({ type }) => kindId(type));
    return {
      store,
      cluster,
      kinds,
      isRunning: undefined,
      [Symbol.asyncDispose]: () => inspection[Symbol.asyncDispose](),
    };
  }
  const directory = resolve(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY);
  if (!existsSync(localStateFile(directory))) {
    throw new EvenkeelError(
      'NO_STATE',
      `there is no state in ${directory}. Name its folder with --state-dir DIR, or a cloud deployment with --stage.`,
    );
  }
  const isRunning = runsHere(directory) !== undefined;
  const record = isRunning ? runningRecord(directory) : undefined;
  const modules = invocation.list('controllers').map((file) => resolve(file));
  const settings = settingsOf(
    invocation.text('settings') ?? record?.settings,
    modules.length > 0 ? modules : (record?.controllers ?? []),
  );
  const own = await ownControllers(settings);
  const kinds = installedRegistry(settings, { own: own.controllers }).controllers.map(({ type }) => kindId(type));
  const cluster = invocation.text('cluster') ?? record?.cluster.name ?? settings.cluster;
  const { store, close } = await openLocalTable(directory, processOwner());
  return { store, cluster, kinds, isRunning, [Symbol.asyncDispose]: async () => close() };
}

/**
 * Opens a stage, whose cluster may not be registered yet, or a state directory from which nothing runs.
 * @throws EvenkeelError ALREADY_RUNNING, STATE_DIRECTORY, NO_REGION
 */
export async function openImport(invocation: Invocation): Promise<ImportDestination> {
  const by = { clock: systemClock, entropy: systemEntropy, owner: processOwner(), by: operatorName() };
  const stage = invocation.text('stage');
  if (stage !== undefined || invocation.has('table')) {
    const cloud = connectCloud();
    const table = invocation.text('table') ?? tableName(stage ?? '');
    const { dynamodb: client } = cloud.clients;
    const store = new DynamoDbStateStore({ client, tableName: table, shards: TABLE_SHARDS, clock: systemClock });
    return { ...by, store, what: `table ${table}`, [Symbol.asyncDispose]: async () => cloud[Symbol.dispose]() };
  }
  const directory = claimStateDirectory(invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY, process.pid);
  try {
    const { store, close } = await openLocalTable(directory.path, by.owner);
    const end = async () => {
      close();
      directory.release();
    };
    return { ...by, store, what: directory.path, [Symbol.asyncDispose]: end };
  } catch (error) {
    directory.release();
    throw error;
  }
}
