import { pascalCase } from '../lib/deployment/cloud/cloud-names.ts';
import { deadLetterName, LANES, queueName, wakeQueueName } from '../lib/deployment/installation/resource-names.ts';
import type { Lane } from '../lib/engine/event-sender.ts';
import { MAX_RECEIVE_COUNT } from '../lib/ports/queue.ts';
import { attribute, type Resource, type Resources, ref } from './cloudformation.ts';
import { functionTimeoutSeconds } from './function-times.ts';
import { policyOverTls } from './policy-over-tls.ts';
import type { Stage } from './stage.ts';

/** SQS' longest retention. Dead letters wait for a person, and events for the end of an outage. */
const RETENTION_SECONDS = 14 * 24 * 3_600;

export function queueId(group: string, lane: Lane): string {
  return `${pascalCase(group)}${pascalCase(lane)}Queue`;
}

export function deadQueueId(id: string): string {
  return id.replace(/Queue$/, 'DeadQueue');
}

export const WAKES_QUEUE = 'WakesQueue';

/**
 * The queues of a lane are FIFO queues with high throughput: each object is a message group and a deduplication scope.
 */
const HIGH_THROUGHPUT = { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };

/** The queues of the installed groups and of the wakes, each with its own dead-letter queue of the same type. */
export function queues(stage: Stage): Resources {
  const resources: Record<string, Resource> = {};
  const visibilitySeconds = Math.ceil(stage.settings.timings.visibilityMs / 1_000);
  for (const group of stage.groups) {
    for (const lane of LANES) {
      const id = queueId(group, lane);
      const name = queueName(stage.name, group, lane);
      const fifo = { FifoQueue: true, ...HIGH_THROUGHPUT };
      resources[id] = queue(`${name}.fifo`, { ...fifo, VisibilityTimeout: visibilitySeconds, ...redrive(id) });
      resources[deadQueueId(id)] = queue(`${deadLetterName(name)}.fifo`, fifo);
    }
  }
  const wakes = wakeQueueName(stage.name);
  resources[WAKES_QUEUE] = queue(wakes, {
    // AWS recommends six times the function's time-out.
    VisibilityTimeout: 6 * functionTimeoutSeconds(stage, 'wake'),
    ...redrive(WAKES_QUEUE),
  });
  resources[deadQueueId(WAKES_QUEUE)] = queue(deadLetterName(wakes), {});
  const policies = Object.keys(resources).map((id): [string, Resource] => [`${id}Policy`, overTlsAlone(id)]);
  return { ...resources, ...Object.fromEntries(policies) };
}

/**
 * Refuses requests without TLS. Each queue has its own policy, because SQS accepts no policy that names another queue.
 */
function overTlsAlone(id: string): Resource {
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [ref(id)], PolicyDocument: policyOverTls('sqs:*', attribute(id, 'Arn')) },
  };
}

function queue(name: string, properties: Resource['Properties']): Resource {
  return {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: name,
      MessageRetentionPeriod: RETENTION_SECONDS,
      SqsManagedSseEnabled: true,
      ...properties,
    },
  };
}

function redrive(id: string): Resource['Properties'] {
  return {
    RedrivePolicy: {
      deadLetterTargetArn: attribute(deadQueueId(id), 'Arn'),
      maxReceiveCount: MAX_RECEIVE_COUNT,
    },
  };
}
