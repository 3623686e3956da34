import { hostname, userInfo } from 'node:os';
import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbStateStore } from '../lib/adapters/aws/dynamodb-state-store.ts';
import { countCosts } from '../lib/adapters/aws/request-costs.ts';
import { SqsFifoQueue } from '../lib/adapters/aws/sqs-fifo-queue.ts';
import { type ConnectedCluster, connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { type LoadedKubeconfig, loadKubeconfig } from '../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { KubernetesClusterApi } from '../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { OpenApiSchemas } from '../lib/adapters/kubernetes/open-api-schemas.ts';
import type { Transport } from '../lib/adapters/kubernetes/transport.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { MAX_REQUESTER_LENGTH } from '../lib/core/event.ts';
import { cutToCodePoints } from '../lib/core/text.ts';
import { groupNames, type OwnControllers, ownControllers } from '../lib/deployment/author/own-controllers.ts';
import type { InstalledQueues } from '../lib/deployment/installation/installation.ts';
import { installedRegistry } from '../lib/deployment/installation/installed-registry.ts';
import {
  deadLetterName,
  LANES,
  LOCAL_STAGE,
  queueName,
  TABLE_SHARDS,
  tableName,
} from '../lib/deployment/installation/resource-names.ts';
import type { ClusterPlace } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import { bundledDefinitions } from '../lib/deployment/package/manifests.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import type { Settings } from '../lib/deployment/settings/settings-schema.ts';
import { EventSender } from '../lib/engine/event-sender.ts';
import type { Registry } from '../lib/engine/registry.ts';
import type { StateStore } from '../lib/ports/state-store.ts';
import type { Invocation } from './command.ts';
import { DEFAULT_STATE_DIRECTORY } from './connection-options.ts';
import { clustersOf, deployedSettings, onlyCluster } from './deployed-stage.ts';
import type { Inspection } from './inspection/inspection.ts';
import { checkCluster, refuseUnknownCluster } from './inspection/known-cluster.ts';
import { knownKinds } from './inspection/known-kinds.ts';
import { runningRecord } from './state/running-record.ts';
import { connectCloud, type OperatorCloud } from './wiring-operator.ts';
import { openLocalState } from './wiring-state.ts';

export { installedRegistry } from '../lib/deployment/installation/installed-registry.ts';

export const systemClock = new SystemClock();
export const systemEntropy = new SystemEntropy();

/** The shell in which npm runs this process; undefined without npm. */
export const npmShellPid = process.env.npm_command === undefined ? undefined : () => process.ppid;

/** The name of this process in leases: unique, and it shows where the process runs. */
export function processOwner(): string {
  return `${hostname().slice(0, 40)}-${process.pid}-${systemEntropy.id().slice(0, 8)}`;
}

/** The user of this machine, for the record of that user's actions. */
export function operatorName(): string {
  return cutToCodePoints(`${userName()}@${hostname()}`, MAX_REQUESTER_LENGTH / 2);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run with a user id that has no name.
    return `uid-${process.getuid?.() ?? 0}`;
  }
}

/** The name, in the Leases of a cluster, of the deployment that runs from a folder of this machine. */
export function localDeployment(settings: Settings, stateDirectory: string): string {
  return `${settings.installation}@${hostname()}:${stateDirectory}`;
}

/** Selects a context of a kubeconfig, as kubectl does. */
export function kubeconfigOf(options: {
  file?: string | undefined;
  context?: string | undefined;
}): Promise<LoadedKubeconfig> {
  return loadKubeconfig({
    ...(options.file !== undefined && { file: options.file }),
    ...(options.context !== undefined && { context: options.context }),
    environment: process.env,
    clock: systemClock,
  });
}

export function placeOf({ connection, context, file }: LoadedKubeconfig): ClusterPlace {
  const { server, token, clientCertificate, plugin } = connection;
  const isAnonymous = token === undefined && clientCertificate === undefined && plugin === undefined;
  return { file, context, server, isAnonymous };
}

export function connectKubeconfig({ connection }: LoadedKubeconfig, connections?: number): ConnectedCluster {
  return connectCluster({
    connection,
    userAgent: `evenkeel/${packageVersion()}`,
    clock: systemClock,
    ...(connections !== undefined && { connections }),
  });
}

/** Connects to the API server in this process without a connection, and so without TLS. */
export function connectInProcess(transport: Transport): ConnectedCluster {
  const userAgent = `evenkeel/${packageVersion()}`;
  return {
    api: new KubernetesClusterApi({ transport, userAgent, clock: systemClock }),
    schemas: new OpenApiSchemas(transport, systemClock),
    close: async () => undefined,
  };
}

/** The installation of the command's options: one that runs on this machine, or one in the cloud. */
export async function openInspection(invocation: Invocation): Promise<Inspection> {
  const inCloud = invocation.has('stage') || invocation.has('table');
  return await (inCloud ? openCloudInspection(invocation) : openLocalInspection(invocation));
}

async function openLocalInspection(invocation: Invocation): Promise<Inspection> {
  const directory = invocation.text('state-dir') ?? DEFAULT_STATE_DIRECTORY;
  const record = runningRecord(directory);
  const settings = settingsOf(invocation.text('settings') ?? record.settings, record.controllers);
  const { name, kubeconfig, context } = record.cluster;
  const clusterName = invocation.text('cluster') ?? name;
  refuseUnknownCluster(clusterName, [name], `what runs from ${directory}`);
  const own = await ownControllers(settings, { wholeErrors: record.cluster.embedded });
  const registry = installedRegistry(settings, { own: own.controllers, rollouts: own.rollouts });
  const loaded = await kubeconfigOf({ file: kubeconfig, context });
  const { sqlite, ports } = await openLocalState(directory, registry.groups(), processOwner());
  const cluster = connectKubeconfig(loaded);
  return {
    cluster: clusterName,
    registry,
    settings,
    kinds: kindsOf(registry, own),
    store: ports.store,
    sender: async () => new EventSender(registry, ports.queues, systemEntropy),
    operated: {
      stage: LOCAL_STAGE,
      isCloud: false,
      deadLetters: sqlite.deadLetters,
      authorGroups: groupNames(own),
      queues: async () => ports.queues,
    },
    api: cluster.api,
    clock: systemClock,
    by: operatorName(),
    [Symbol.asyncDispose]: async () => {
      sqlite.close();
      await cluster.close();
    },
  };
}

async function openCloudInspection(invocation: Invocation): Promise<Inspection> {
  const stage = invocation.text('stage');
  await using opened = new AsyncDisposableStack();
  const cloud = opened.use(connectCloud());
  const spentDollars = countCosts(cloud.clients);
  const { settings, own, registry } = await cloudSettingsOf(invocation, cloud);
  const table = invocation.text('table') ?? tableName(stage ?? '');
  const store = new DynamoDbStateStore({
    client: cloud.clients.dynamodb,
    tableName: table,
    shards: TABLE_SHARDS,
    clock: systemClock,
  });
  const cluster = await cloudClusterOf(invocation, settings, cloud, store, table);
  // The addresses of the queues never change: they are looked up once, because each request is charged.
  const queues = remembered(() => cloudQueues(cloud.clients.sqs, stage ?? '', registry.groups()));
  const kept = opened.move();
  return {
    cluster,
    registry,
    settings,
    kinds: kindsOf(registry, own),
    store,
    sender: async () => {
      if (stage === undefined) {
        throw new EvenkeelError('STAGE_NEEDED', 'the stage is needed to find the queues. Name it with --stage STAGE.');
      }
      return new EventSender(registry, await queues(), systemEntropy);
    },
    ...(stage !== undefined && {
      operated: {
        stage,
        isCloud: true,
        deadLetters: cloud.deadLetters,
        authorGroups: groupNames(own),
        queues,
      },
    }),
    api: undefined,
    clock: systemClock,
    spentDollars,
    by: operatorName(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Remembers what a read returned; after a failure it reads again. */
function remembered<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<Value> | undefined;
  return () => {
    last ??= read().catch((error) => {
      last = undefined;
      throw error;
    });
    return last;
  };
}

/** The settings of a file, or those that the stage was deployed with. The embedded parts have no parameters. */
async function cloudSettingsOf(
  invocation: Invocation,
  { parameters }: OperatorCloud,
): Promise<{ readonly settings: Settings; readonly own: OwnControllers; readonly registry: Registry }> {
  const file = invocation.text('settings');
  const stage = invocation.text('stage');
  if (file !== undefined || stage === undefined || stage === LOCAL_STAGE) {
    const settings = settingsOf(file);
    const own = await ownControllers(settings);
    return { settings, own, registry: installedRegistry(settings, { own: own.controllers, rollouts: own.rollouts }) };
  }
  const { settings, own, groups } = await deployedSettings(stage, parameters);
  return { settings, own, registry: installedRegistry(settings, { groups }) };
}

/** @throws UsageError for a name that neither the stage nor its table has. */
async function cloudClusterOf(
  invocation: Invocation,
  settings: Settings,
  { parameters }: OperatorCloud,
  store: StateStore,
  table: string,
): Promise<string> {
  const stage = invocation.text('stage');
  const named = invocation.text('cluster');
  if (stage === undefined || stage === LOCAL_STAGE) {
    const cluster = named ?? settings.cluster;
    // There is no list of clusters here, so only those in the table are known.
    await checkCluster(cluster, { store, listed: async () => [], where: `table ${table}` });
    return cluster;
  }
  if (named === undefined) return await onlyCluster(stage, parameters);
  await checkCluster(named, { store, listed: () => clustersOf(stage, parameters), where: `stage ${stage}` });
  return named;
}

async function cloudQueues(client: SQSClient, stage: string, groups: readonly string[]): Promise<InstalledQueues> {
  const urlOf = async (name: string) => {
    try {
      const { QueueUrl = '' } = await client.send(new GetQueueUrlCommand({ QueueName: `${name}.fifo` }));
      return QueueUrl;
    } catch (error) {
      throw new EvenkeelError(
        'QUEUE_NOT_FOUND',
        `the queue ${name}.fifo cannot be found with these AWS settings. Is stage ${stage} deployed in this account and region?`,
        { cause: error },
      );
    }
  };
  const byGroup = groups.map(async (group) => {
    const lanes = LANES.map(async (lane) => {
      const name = queueName(stage, group, lane);
      const [queueUrl, deadLetterQueueUrl] = await Promise.all([urlOf(name), urlOf(deadLetterName(name))]);
      return [lane, new SqsFifoQueue({ client, clock: systemClock, queueUrl, deadLetterQueueUrl })];
    });
    return [group, Object.fromEntries(await Promise.all(lanes))];
  });
  return Object.fromEntries(await Promise.all(byGroup)) as InstalledQueues;
}

export function kindsOf(registry: Registry, own: OwnControllers): Inspection['kinds'] {
  const types = registry.controllers.map(({ type }) => type);
  return knownKinds(types, [...bundledDefinitions(), ...own.definitions]);
}
