import { Logger as PowertoolsLogWriter } from '@aws-lambda-powertools/logger';
import { AwsJsonClient } from '../adapters/aws/aws-json-client.ts';
import { type AwsClients, createAwsClients } from '../adapters/aws/clients.ts';
import { SecretsManagerStore } from '../adapters/aws/secrets-manager-store.ts';
import { SqsDelayQueue } from '../adapters/aws/sqs-delay-queue.ts';
import { SqsFifoQueue } from '../adapters/aws/sqs-fifo-queue.ts';
import { SsmParameterStore } from '../adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../adapters/aws/undici-request-handler.ts';
import { connectCluster } from '../adapters/kubernetes/connect-cluster.ts';
import { errorLine } from '../adapters/observability/error-description.ts';
import { PowertoolsLogger } from '../adapters/observability/powertools-logger.ts';
import { PowertoolsMetrics } from '../adapters/observability/powertools-metrics.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { SystemEntropy } from '../adapters/system/system-entropy.ts';
import { EvenkeelError } from '../core/errors.ts';
import { EventSender } from '../engine/event-sender.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import type { Registry } from '../engine/registry.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { ClusterApi } from '../ports/cluster-api.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Parameter } from '../ports/parameter-store.ts';
import type { DelayQueue } from '../ports/queue.ts';
import type { SchemaDigests } from '../ports/schema-digests.ts';
import type { SecretStore } from '../ports/secret-store.ts';
import type { StateStore } from '../ports/state-store.ts';
import { type CloudEnvironment, readCloudEnvironment } from './cloud/cloud-environment.ts';
import { cloudGroupParts } from './cloud/cloud-group-parts.ts';
import { clusterParametersPath, metricsNamespace } from './cloud/cloud-names.ts';
import { decodeCloudSettings } from './cloud/cloud-settings.ts';
import { ClusterDirectory } from './cloud/cluster-directory.ts';
import { clusterNameOf, parseClusterParameter } from './cloud/cluster-parameter.ts';
import { recordClusterTrouble } from './cloud/record-cluster-trouble.ts';
import { unusableClusterApi } from './cloud/unusable-cluster-api.ts';
import { UseRecorder } from './cloud/use-recorder.ts';
import { type ControllerGroups, GROUPS } from './groups/registered-groups.ts';
import { createInstallation, type Installation, type InstalledQueues } from './installation/installation.ts';
import { installedRegistry } from './installation/installed-registry.ts';
import type { Settings } from './settings/settings-schema.ts';
import { cloudConnection } from './wiring-cloud-connection.ts';
import { strayErrorReport, surviveStrayErrors } from './wiring-stray-errors.ts';
import { openTable } from './wiring-table.ts';

const AWS_SOCKETS = 64;
/** Parameters and secrets are read one after the other. */
const READ_SOCKETS = 4;
/** The time limit of a request to an API server. */
const LONGEST_REQUEST_MS = 10_000;
const CONNECT_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 4_000;

const REACHES_NO_CLUSTER = new EvenkeelError('REACHES_NO_CLUSTER', 'this function knows only the names of clusters');

/** One cluster of the deployment in a function. */
export interface CloudCluster {
  readonly installation: Installation;
  /** Absent in a function that connects to no cluster, and for a cluster that cannot be used. */
  readonly schemas?: SchemaDigests;
  close(): Promise<void>;
}

/** The parts of a function's sandbox, created once. */
export interface CloudRuntime {
  readonly stage: string;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly store: StateStore;
  readonly queues: InstalledQueues;
  /** The group and lane of a queue, by the name that an event source has. */
  readonly laneOf: (queueName: string) => { readonly group: string; readonly lane: 'events' | 'resync' } | undefined;
  readonly wakes: DelayQueue;
  readonly sender: EventSender;
  readonly clusters: ClusterDirectory<CloudCluster>;
  readonly useRecorder: UseRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Unique among all processes. */
  readonly newId: () => string;
  /** Writes the metrics that were collected. */
  flush(): void;
  /** Describes an error without any text of others. */
  describe(error: unknown): string;
}

let made: Promise<CloudRuntime> | undefined;

/**
 * @param groups the controller groups that exist; the same at each call.
 * @throws EvenkeelError BROKEN_DEPLOYMENT; InfrastructureError when the key could not be read; the next call tries
 * again.
 */
export function cloudRuntime(groups: ControllerGroups = GROUPS): Promise<CloudRuntime> {
  made ??= createRuntime(readCloudEnvironment(process.env, groups), groups).then(
    (runtime) => {
      surviveStrayErrors(strayErrorReport(runtime.logger, runtime.metrics));
      return runtime;
    },
    (error: unknown) => {
      made = undefined;
      throw error;
    },
  );
  return made;
}

/** @throws EvenkeelError BROKEN_DEPLOYMENT; InfrastructureError when a secret could not be read. */
export async function createRuntime(
  environment: CloudEnvironment,
  groups: ControllerGroups = GROUPS,
): Promise<CloudRuntime> {
  const clock = new SystemClock();
  const entropy = new SystemEntropy();
  const stage = environment.EVENKEEL_STAGE;
  const settings = decodeCloudSettings(stage, environment.EVENKEEL_SETTINGS, groups);
  const logger = new PowertoolsLogger(
    new PowertoolsLogWriter({ serviceName: 'evenkeel', logLevel: upperCase(environment.EVENKEEL_LOG_LEVEL) }),
    { stage },
  );
  const output = { line: (text: string) => void process.stdout.write(`${text}\n`) };
  const metrics = new PowertoolsMetrics(metricsNamespace(stage), output, environment.EVENKEEL_METRICS);
  const endpoint = environment.AWS_ENDPOINT_URL;
  const clients = createAwsClients({
    region: environment.AWS_REGION,
    ...(endpoint !== undefined && { endpoints: { dynamodb: endpoint, sqs: endpoint } }),
    maxSockets: AWS_SOCKETS,
    onThrottled: (operation) => metrics.record('TableThrottled', 1, { Operation: operation }),
  });
  const reads = awsReads(environment, clients, clock);
  const parts = await cloudGroupParts(environment, settings, reads.secrets, clock, groups);
  const registry = installedRegistry(settings, parts);
  const { store, uses } = openTable({ client: clients.dynamodb, tableName: environment.EVENKEEL_TABLE, clock });
  const queues = openQueues(environment, clients, clock);
  const wakes = new SqsDelayQueue({ client: clients.sqs, clock, queueUrl: environment.EVENKEEL_WAKES });
  const owner = `${environment.AWS_LAMBDA_FUNCTION_NAME ?? 'relay'}-${entropy.id().slice(0, 8)}`;
  const context = { environment, settings, registry, store, queues, wakes, clock, entropy, owner, logger, metrics };
  const clusters = new ClusterDirectory<CloudCluster>({
    parameters: reads.parameters,
    path: clusterParametersPath(stage),
    open: (parameter) => openCluster(parameter, context, { clients, secrets: reads.secrets }),
    openFaulty: (name, fault) => installOn(name, unusableClusterApi(fault), async () => {}, context),
    close: (opened) => opened.close(),
    clock,
    logger,
    metrics,
  });
  return {
    stage,
    settings,
    registry,
    store,
    queues,
    laneOf: laneNames(environment),
    wakes,
    sender: new EventSender(registry, queues, entropy),
    clusters,
    useRecorder: new UseRecorder({ uses, store, clock, logger, release: environment.EVENKEEL_VERSION }),
    clock,
    logger,
    metrics,
    newId: () => entropy.id(),
    flush: () => metrics.flush(),
    describe: errorLine,
  };
}

/** The parts that all clusters of a sandbox share. */
interface ClusterContext {
  readonly environment: CloudEnvironment;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly store: StateStore;
  readonly queues: InstalledQueues;
  readonly wakes: DelayQueue;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The name of this sandbox as the owner of leases; unique among all processes. */
  readonly owner: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function installOn(
  name: string,
  api: ClusterApi,
  close: () => Promise<void>,
  { environment, settings, registry, owner, logger, metrics, ...ports }: ClusterContext,
): CloudCluster {
  const named = logger.with({ cluster: name });
  const installation = createInstallation(
    { ...ports, api, logger: named, metrics },
    {
      settings: { ...settings, cluster: name },
      registry,
      owner,
      deployment: environment.EVENKEEL_DEPLOYMENT,
      onPass: (report) => logPass(named, report),
      onReplaced: (error) => {
        if (!settings.standby) metrics.record('DeploymentConflict', 1, { Cluster: name });
        named.error('passes are put off: another deployment drives the cluster', error);
      },
      onUnread: (error) => {
        recordClusterTrouble(metrics, name, error);
        named.error('passes are put off: the cluster does not say which deployment drives it', error);
      },
    },
  );
  return { installation, close };
}

/** @param parameter the SSM parameter that registers the cluster. */
function openCluster(
  parameter: Parameter,
  context: ClusterContext,
  { clients, secrets }: { readonly clients: AwsClients; readonly secrets: SecretStore },
): CloudCluster {
  const { environment, settings, clock } = context;
  if (environment.EVENKEEL_IDENTITY === undefined) {
    return installOn(clusterNameOf(parameter), unusableClusterApi(REACHES_NO_CLUSTER), async () => {}, context);
  }
  const parsed = parseClusterParameter(parameter, environment.AWS_REGION);
  const { api, schemas, close } = connectCluster({
    connection: cloudConnection(parsed, {
      stage: environment.EVENKEEL_STAGE,
      identity: environment.EVENKEEL_IDENTITY,
      secrets,
      credentials: () => clients.dynamodb.config.credentials(),
      awsEndpoint: environment.AWS_ENDPOINT_URL,
      clock,
    }),
    userAgent: `evenkeel/${environment.EVENKEEL_VERSION} ${environment.AWS_LAMBDA_FUNCTION_NAME ?? 'relay'}`,
    // Shorter than a pass, because a request that the end of the pass aborts does not show that the cluster did not
    // answer.
    requestTimeoutMs: Math.min(LONGEST_REQUEST_MS, settings.timings.passLimitMs / 2),
    clock,
  });
  return { ...installOn(parsed.name, api, close, context), schemas };
}

function awsReads(environment: CloudEnvironment, { dynamodb }: AwsClients, clock: Clock) {
  const requestHandler = new UndiciRequestHandler({
    maxSockets: READ_SOCKETS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: READ_TIMEOUT_MS,
  });
  const client = (service: string, target: string) =>
    new AwsJsonClient({
      service,
      target,
      region: environment.AWS_REGION,
      ...(environment.AWS_ENDPOINT_URL !== undefined && { endpoint: environment.AWS_ENDPOINT_URL }),
      credentials: () => dynamodb.config.credentials(),
      requestHandler,
      userAgent: `evenkeel/${environment.EVENKEEL_VERSION} app/${environment.AWS_SDK_UA_APP_ID ?? 'evenkeel-relay'}`,
      clock,
    });
  return {
    parameters: new SsmParameterStore(client('ssm', 'AmazonSSM')),
    secrets: new SecretsManagerStore(client('secretsmanager', 'secretsmanager')),
  };
}

function openQueues({ EVENKEEL_QUEUES }: CloudEnvironment, { sqs }: AwsClients, clock: Clock): InstalledQueues {
  const open = ({ queue, dead }: { queue: string; dead: string }) =>
    new SqsFifoQueue({ client: sqs, clock, queueUrl: queue, deadLetterQueueUrl: dead });
  return Object.fromEntries(
    Object.entries(EVENKEEL_QUEUES).map(([group, { events, resync }]) => [
      group,
      { events: open(events), resync: open(resync) },
    ]),
  );
}

function laneNames({ EVENKEEL_QUEUES }: CloudEnvironment): CloudRuntime['laneOf'] {
  const lanes = new Map(
    Object.entries(EVENKEEL_QUEUES).flatMap(([group, urls]) =>
      (['events', 'resync'] as const).map((lane) => [urls[lane].queue.split('/').at(-1), { group, lane }]),
    ),
  );
  return (queueName) => lanes.get(queueName);
}

/**
 * A report without a pass is logged as a detail. The log line has its own `message`, so the report's message gets
 * another name.
 */
function logPass(logger: Logger, { target, message, ...report }: PassReport): void {
  const level = report.end === 'covered' || report.end === 'held' ? 'debug' : 'info';
  logger[level]('pass', { ...target, ...report, detail: message });
}

function upperCase<Text extends string>(text: Text): Uppercase<Text> {
  return text.toUpperCase() as Uppercase<Text>;
}
