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
  /** The purpose of the statement, as its id. */
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly CfnValue[];
  readonly condition?: Condition;
}

/**
 * The exact permissions that a function needs in AWS, in addition to its log. Next to each wildcard in a
 * resource is its reason, and a test accepts no other wildcard.
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
        // UpdateItem: the first function that connects to a cluster registers it.
        tableAccess('GetItem', 'Query', 'UpdateItem'),
        send('SendFindings', laneQueues(stage, 'resync')),
        readDepth(laneQueues(stage, 'resync')),
        ...clusterAccess(stage, RELAY_IDENTITY),
      ];
    case 'relay':
      return [
        tableAccess('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
        send('SendEvents', [...laneQueues(stage, 'events'), ...laneQueues(stage, 'resync')]),
        readDepth([...laneQueues(stage, 'events'), ...laneQueues(stage, 'resync')]),
        ...clusterAccess(stage, RELAY_IDENTITY),
        ...(stage.cloud.relay === 'container' ? [listParameters('ReadStage', stageParametersPath(stage.name))] : []),
      ];
  }
}

function reconcilePermissions(stage: Stage, group: string): Permission[] {
  const own = LANES.map((lane) => queueId(group, lane));
  return [
    // Query and BatchGetItem: to find the readers of a polled object, or of a wide change.
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

/** The secrets that the group's function reads with the settings of the stage. */
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

/** The requests of Lambda to a queue, in the function's name. Rounds also read how many messages wait. */
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

/** Reads how many messages wait in a queue, before more are sent to it. */
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
    // A cluster is added without a deployment, so its name is a wildcard; the identity is not. Secrets Manager adds six
    // characters to each name.
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
