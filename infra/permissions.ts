import type { GroupSecret } from '../lib/controllers/group.ts';
import {
  clusterParametersPath,
  clusterTokenSecret,
  RELAY_IDENTITY,
  stageParametersPath,
  stageSecretName,
} from '../lib/deployment/cloud/cloud-names.ts';
import { neededSecrets } from '../lib/deployment/groups/installed-groups.ts';
import { LANES } from '../lib/deployment/installation/resource-names.ts';
import type { Lane } from '../lib/engine/event-sender.ts';
import { attribute, type CfnValue, substitute } from './cloudformation.ts';
import type { DeployedFunction } from './deployed-functions.ts';
import { type Condition, itemsOfGroup } from './items-of-group.ts';
import { deadQueueId, queueId, WAKES_QUEUE } from './queues.ts';
import type { Stage } from './stage.ts';
import { DUE_INDEX, TABLE } from './table.ts';

export interface Permission {
  /** What it is for, as a statement's id. */
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly CfnValue[];
  readonly condition?: Condition;
}

/**
 * Exactly what a function asks AWS for, in addition to writing its log. Where a resource holds a wildcard the reason
 * stands next to it, and a test knows of no other.
 */
export function permissionsOf(stage: Stage, { part, group }: Pick<DeployedFunction, 'part' | 'group'>): Permission[] {
  switch (part) {
    case 'reconcile':
      return reconcilePermissions(stage, group ?? '');
    case 'wake':
      return [
        tableAccess('GetItem'),
        consume([WAKES_QUEUE]),
        send('SendDeadlines', [...laneQueues(stage, 'events'), WAKES_QUEUE]),
        listClusters(stage),
      ];
    case 'sweep':
      return [
        tableAccess('GetItem', 'UpdateItem'),
        {
          sid: 'FindDeadlines',
          actions: ['dynamodb:Query'],
          resources: [substitute(`\${${TABLE}.Arn}/index/${DUE_INDEX}`)],
        },
        send('SendDeadlines', [...laneQueues(stage, 'events'), WAKES_QUEUE]),
        listClusters(stage),
      ];
    case 'resync':
      return [
        // The first function that reaches a cluster registers it: UpdateItem.
        tableAccess('GetItem', 'Query', 'UpdateItem'),
        send('SendFindings', laneQueues(stage, 'resync')),
        ...clusterAccess(stage, RELAY_IDENTITY),
      ];
    case 'relay':
      return [
        tableAccess('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
        send('SendEvents', [...laneQueues(stage, 'events'), ...laneQueues(stage, 'resync')]),
        readDepth(laneQueues(stage, 'resync')),
        ...clusterAccess(stage, RELAY_IDENTITY),
        ...(stage.cloud.relay === 'container' ? [listParameters('ReadStage', stageParametersPath(stage.name))] : []),
      ];
  }
}

function reconcilePermissions(stage: Stage, group: string): Permission[] {
  const own = LANES.map((lane) => queueId(group, lane));
  return [
    // Query and BatchGetItem: the readers of what was polled, or of what many read.
    {
      ...tableAccess('GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem', 'Query'),
      condition: itemsOfGroup(stage, group),
    },
    consume(own),
    send('SendDeadLetters', own.map(deadQueueId)),
    send('SendDeadlines', [WAKES_QUEUE, ...own]),
    ...clusterAccess(stage, group),
    ...secretsOf(stage, group).map(({ name, statement }) =>
      readSecret(statement, `${stageSecretName(stage.name, name)}-??????`),
    ),
  ];
}

/** The secrets that the group's function reads, as the settings of the stage are. */
export function secretsOf({ installed }: Stage, group: string | undefined): GroupSecret[] {
  return installed.filter(({ manifest }) => manifest.name === group).flatMap(neededSecrets);
}

function laneQueues({ groups }: Stage, lane: Lane): string[] {
  return groups.map((group) => queueId(group, lane));
}

function tableAccess(...operations: string[]): Permission {
  return {
    sid: 'UseTable',
    actions: operations.map((name) => `dynamodb:${name}`),
    resources: [attribute(TABLE, 'Arn')],
  };
}

/** What Lambda does with a queue in the function's name; rounds of events ask how many messages wait as well. */
function consume(queues: readonly string[]): Permission {
  return {
    sid: 'ReceiveMessages',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resources: queues.map((id) => attribute(id, 'Arn')),
  };
}

function send(sid: string, queues: readonly string[]): Permission {
  return { sid, actions: ['sqs:SendMessage'], resources: queues.map((id) => attribute(id, 'Arn')) };
}

/** How many messages wait in a queue, before more are sent there. */
function readDepth(queues: readonly string[]): Permission {
  return {
    sid: 'ReadDepth',
    actions: ['sqs:GetQueueAttributes'],
    resources: queues.map((id) => attribute(id, 'Arn')),
  };
}

function listClusters({ name }: Stage): Permission {
  return listParameters('ListClusters', clusterParametersPath(name));
}

function listParameters(sid: string, path: string): Permission {
  return {
    sid,
    actions: ['ssm:GetParametersByPath'],
    resources: [substitute(`arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${path}`)],
  };
}

function clusterAccess(stage: Stage, identity: string): Permission[] {
  const { secretsKeyArn } = stage.cloud;
  return [
    listClusters(stage),
    // Clusters are added without a deployment: any name, but one identity alone. Secrets Manager ends names with six characters.
    readSecret('ReadClusterTokens', `${clusterTokenSecret(stage.name, '*', identity)}-??????`),
    ...(secretsKeyArn === undefined
      ? []
      : [
          {
            sid: 'DecryptSecrets',
            actions: ['kms:Decrypt'],
            resources: [secretsKeyArn],
            condition: {
              StringEquals: { 'kms:ViaService': substitute(`secretsmanager.\${AWS::Region}.amazonaws.com`) },
            },
          },
        ]),
  ];
}

function readSecret(sid: string, name: string): Permission {
  return {
    sid,
    actions: ['secretsmanager:GetSecretValue'],
    resources: [substitute(`arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:${name}`)],
  };
}
