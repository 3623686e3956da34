import { batching, LARGEST_BATCH } from '../lib/deployment/cloud/batching.ts';
import { secretVariable, stageSecretName } from '../lib/deployment/cloud/cloud-names.ts';
import { encodeCloudSettings, settingsTooLong } from '../lib/deployment/cloud/cloud-settings.ts';
import { LANES } from '../lib/deployment/installation/resource-names.ts';
import type { Lane } from '../lib/engine/event-sender.ts';
import { bundleFolder } from './bundle-folder.ts';
import { attribute, type CfnValue, ref, substitute } from './cloudformation.ts';
import { type DeployedFunction, deployedFunctions } from './deployed-functions.ts';
import { functionTimeoutSeconds } from './function-times.ts';
import { secretsOf } from './permissions.ts';
import { deadQueueId, queueId, WAKES_QUEUE } from './queues.ts';
import type { Stage } from './stage.ts';
import { TABLE } from './table.ts';

/** A function in the form of serverless.yml. */
export type FunctionConfiguration = Readonly<Record<string, CfnValue>>;

/** Lambda's limit for all variables of a function, names included. */
const MAX_VARIABLE_BYTES = 4_096;
/** Longer settings are packed, to leave room for the queue URLs of many groups. */
const LONGEST_PLAIN_VARIABLE = 1_000;
/** The part of a queue's name after the stage: a group, a lane, and the ending. */
const LONGEST_QUEUE_PART = 40;

/** The functions section of serverless.yml. @param version of this release. */
export function functions(stage: Stage, version: string): Record<string, FunctionConfiguration> {
  return Object.fromEntries(
    deployedFunctions(stage).map((deployed) => [deployed.key, configuration(stage, deployed, version)]),
  );
}

function configuration(stage: Stage, deployed: DeployedFunction, version: string): FunctionConfiguration {
  const { part, name, roleId } = deployed;
  const { vpc } = stage.cloud;
  const folder = bundleFolder(stage);
  return {
    name,
    description: DESCRIPTIONS[part],
    handler: `${folder}/${part}/index.handler`,
    package: { patterns: ['!**', `${folder}/${part}/**`] },
    role: attribute(roleId, 'Arn'),
    memorySize: stage.cloud.memory[part],
    timeout: functionTimeoutSeconds(stage, part),
    // Relay, queue and functions call each other all the time. This is not a runaway loop.
    recursiveLoop: 'Allow',
    environment: fitting(stage, environment(stage, deployed, version)),
    ...(vpc !== undefined && { vpc: { ...vpc } }),
    ...trigger(stage, deployed),
  };
}

const DESCRIPTIONS: Readonly<Record<DeployedFunction['part'], string>> = {
  reconcile: 'Reconciles the objects of one controller group',
  wake: 'Sends the events of due timers',
  sweep: 'Finds near and overdue timers, and silent relays, each minute',
  resync: 'Compares all clusters with the table',
  relay: 'Watches the clusters and sends events for affected objects',
};

/** The variables of a function, or of a relay in a container. */
export function environment(
  stage: Stage,
  deployed: Pick<DeployedFunction, 'part' | 'identity' | 'group'>,
  version: string,
): Readonly<Record<string, CfnValue>> {
  const { identity, group } = deployed;
  return {
    EVENKEEL_STAGE: stage.name,
    EVENKEEL_VERSION: version,
    EVENKEEL_SETTINGS: encodeCloudSettings(stage.written, LONGEST_PLAIN_VARIABLE),
    EVENKEEL_TABLE: ref(TABLE),
    EVENKEEL_DEPLOYMENT: attribute(TABLE, 'Arn'),
    EVENKEEL_QUEUES: queueUrls(stage),
    EVENKEEL_WAKES: ref(WAKES_QUEUE),
    EVENKEEL_LOG_LEVEL: stage.cloud.logLevel,
    ...(stage.cloud.metrics !== 'all' && { EVENKEEL_METRICS: stage.cloud.metrics }),
    ...(identity !== undefined && { EVENKEEL_IDENTITY: identity }),
    ...secretVariables(stage, group),
    AWS_SDK_UA_APP_ID: applicationId(deployed),
    NODE_OPTIONS: nodeOptions(stage, deployed.part),
  };
}

/** The share of the relay's memory for the old space of its heap. Buffers and the program need the rest. */
const RELAY_HEAP_SHARE = 0.45;

/**
 * The relay keeps few objects. Without a limit it would fill its memory with garbage before it collects any
 * (docs/performance.md).
 */
function nodeOptions({ cloud }: Stage, part: DeployedFunction['part']): string {
  const common = '--enable-source-maps';
  if (part !== 'relay') return common;
  return `${common} --max-semi-space-size=1 --max-old-space-size=${Math.floor(cloud.memory.relay * RELAY_HEAP_SHARE)}`;
}

/**
 * Checks the limit before the deployment, because Lambda refuses too many variables only when half of the stack is
 * changed.
 * @throws EvenkeelError SETTINGS_TOO_LONG
 */
function fitting<Variables extends Readonly<Record<string, CfnValue>>>(stage: Stage, variables: Variables): Variables {
  const bytes = Object.entries(variables).reduce((sum, [name, value]) => sum + name.length + lengthOf(stage, value), 0);
  if (bytes <= MAX_VARIABLE_BYTES) return variables;
  throw settingsTooLong(`stage ${stage.name}: the variables of a function take ${bytes} bytes`, MAX_VARIABLE_BYTES);
}

/** The longest length of the value after the deployment: a reference becomes a queue's URL, an ARN or a name. */
function lengthOf({ name, cloud }: Stage, value: CfnValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const text = JSON.stringify(value);
  const references = text.match(/\$\{\w+\}/g)?.length ?? 1;
  const url = `https://sqs.${cloud.region}.amazonaws.com/000000000000/evenkeel-${name}-`;
  return text.length + references * (url.length + LONGEST_QUEUE_PART);
}

/** The variables with the names of the secrets that the deployment creates for a group. */
function secretVariables(stage: Stage, group: string | undefined): Record<string, string> {
  const made = secretsOf(stage, group).filter(({ madeBy }) => madeBy === 'deployment');
  return Object.fromEntries(made.map(({ name }) => [secretVariable(name), stageSecretName(stage.name, name)]));
}

/**
 * The name of a function in the user agent of its requests, and so in CloudTrail: its part, or its controller group.
 * SDKs accept 50 characters, of which Powertools adds 25.
 */
export function applicationId({ part, group }: Pick<DeployedFunction, 'part' | 'group'>): string {
  return `evenkeel-${group ?? part}`;
}

/** The queues' URLs as JSON. */
function queueUrls(stage: Stage): CfnValue {
  const urls = (group: string, lane: Lane) => {
    const id = queueId(group, lane);
    return [lane, { queue: `\${${id}}`, dead: `\${${deadQueueId(id)}}` }];
  };
  const groups = stage.groups.map((group) => [group, Object.fromEntries(LANES.map((lane) => urls(group, lane)))]);
  return substitute(JSON.stringify(Object.fromEntries(groups)));
}

function trigger(stage: Stage, { part, group }: DeployedFunction): FunctionConfiguration {
  switch (part) {
    case 'reconcile':
      return { events: LANES.map((lane) => ({ sqs: eventSource(stage, group ?? '', lane) })) };
    case 'wake':
      return {
        events: [
          {
            sqs: {
              arn: attribute(WAKES_QUEUE, 'Arn'),
              batchSize: LARGEST_BATCH,
              functionResponseType: 'ReportBatchItemFailures',
            },
          },
        ],
      };
    case 'sweep':
    case 'resync':
    case 'relay':
      return scheduled(scheduleMs(stage, part));
  }
}

/**
 * Resync renews the Leases of an idle deployment. It must do so more often than every 15 minutes, because then another
 * deployment takes over.
 */
const LEASE_RENEWAL_MS = 5 * 60_000;

/** The interval of a function's schedule; 0 for a function that messages invoke. */
export function scheduleMs({ settings: { intervals } }: Stage, part: DeployedFunction['part']): number {
  switch (part) {
    case 'reconcile':
    case 'wake':
      return 0;
    case 'sweep':
      return intervals.sweepMs;
    case 'resync':
      return Math.min(intervals.resyncMs, LEASE_RENEWAL_MS);
    case 'relay':
      return 60_000;
  }
}

/**
 * Each queue has its own limit of concurrency, so that a large number of events leaves room for users' changes (R-5.9).
 */
function eventSource(stage: Stage, group: string, lane: Lane): CfnValue {
  const { concurrency, resyncConcurrency } = stage.settings;
  return {
    arn: attribute(queueId(group, lane), 'Arn'),
    ...batching(lane === 'events' ? concurrency : resyncConcurrency),
    functionResponseType: 'ReportBatchItemFailures',
  };
}

/** A run that failed or was late is not repeated, because the next run is due soon and does the rest of the work. */
function scheduled(everyMs: number): FunctionConfiguration {
  const minutes = everyMs / 60_000;
  return {
    events: [{ schedule: { rate: [`rate(${minutes} minute${minutes === 1 ? '' : 's'})`] } }],
    maximumRetryAttempts: 0,
    maximumEventAge: 60,
  };
}
