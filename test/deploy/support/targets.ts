import { pollKey, targetKey } from '../../../lib/adapters/state-keys.ts';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { EVENT_VERSION, type RequestedFacts, type ShownFacts, type SkinnyEvent } from '../../../lib/core/event.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { kindId, type ResourceType } from '../../../lib/core/resource-type.ts';
import { messageGroupId, type Target } from '../../../lib/core/target.ts';
import { TABLE_SHARDS, tableName } from '../../../lib/deployment/installation/resource-names.ts';
import type { AwsCall } from './aws-call.ts';
import type { CloudWorld, UserCluster } from './cloud-world.ts';
import { STAGE } from './cloud-world.ts';

const TABLE = tableName(STAGE);

/** The fields of a target's item in the table that these tests read. */
export interface TargetItem {
  readonly dueAt: number;
  readonly epoch: number;
  readonly committedEpoch: number;
  /** The type of the last outcome; empty before the first one. */
  readonly lastOutcome: string;
  readonly reconcilerVersion: string;
}

export async function targetNamed({ name, edits }: UserCluster, contract: string): Promise<Target> {
  const { metadata }: KubeObject = await edits.contracts.read(contract);
  return { cluster: name, kind: kindId(SecretContracts), uid: metadata.uid, namespace: 'default', name: contract };
}

/** The target of an object of any kind. */
export function targetOf({ name }: UserCluster, type: ResourceType, { metadata }: KubeObject): Target {
  const { uid, namespace = '' } = metadata;
  return { cluster: name, kind: kindId(type), uid, namespace, name: metadata.name };
}

/** Whether the table knows the target. A forgotten target has only its epochs. */
export async function isKnown({ aws }: CloudWorld, target: Target): Promise<boolean> {
  const { Item } = await aws.json<{ Item?: { objectName?: object } }>('dynamodb', 'DynamoDB_20120810.GetItem', {
    TableName: TABLE,
    Key: keyOf(target),
    ConsistentRead: true,
  });
  return Item?.objectName !== undefined;
}

export async function readItem({ aws }: CloudWorld, target: Target): Promise<TargetItem> {
  const { Item } = await aws.json<{ Item: Record<string, { N?: string; S?: string }> }>(
    'dynamodb',
    'DynamoDB_20120810.GetItem',
    { TableName: TABLE, Key: keyOf(target), ConsistentRead: true },
  );
  return {
    dueAt: Number(Item.dueAt?.N),
    epoch: Number(Item.epoch?.N),
    committedEpoch: Number(Item.committedEpoch?.N),
    lastOutcome: (JSON.parse(Item.lastOutcome?.S ?? '{}') as { type?: string }).type ?? '',
    reconcilerVersion: Item.reconcilerVersion?.S ?? '',
  };
}

/** Sets a timer for which no delayed message was sent, like a function that dies right after its commit. */
export async function setDeadline({ aws }: CloudWorld, target: Target, dueAtMs: number): Promise<void> {
  await aws.json('dynamodb', 'DynamoDB_20120810.UpdateItem', {
    TableName: TABLE,
    Key: keyOf(target),
    UpdateExpression: 'SET dueAt = :dueAt, wakeSent = :no',
    ConditionExpression: 'attribute_exists(dueShard)',
    ExpressionAttributeValues: { ':dueAt': { N: String(dueAtMs) }, ':no': { BOOL: false } },
  });
}

interface PollItem {
  readonly sk: { readonly S: string };
  readonly dueAt?: { readonly N: string };
}

/**
 * Makes each poll of a group's kind in a cluster due now, as if its interval had passed. A poll that is due already keeps
 * its time: another one would make the request void that is on its way.
 * @returns the polled objects, as `namespace/name`.
 */
export async function makePollsDue(
  { aws }: CloudWorld,
  { name: cluster }: UserCluster,
  group: string,
  type: ResourceType,
): Promise<string[]> {
  const { pk } = pollKey({ cluster, group, kind: kindId(type), namespace: '', name: '' });
  const { Items } = await aws.json<{ Items: PollItem[] }>('dynamodb', 'DynamoDB_20120810.Query', {
    TableName: TABLE,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
  });
  const later = Items.filter(({ dueAt }) => Number(dueAt?.N) > Date.now());
  for (const { sk } of later) {
    await aws.json('dynamodb', 'DynamoDB_20120810.UpdateItem', {
      TableName: TABLE,
      Key: { pk: { S: pk }, sk },
      UpdateExpression: 'SET dueAt = :dueAt, wakeSent = :no',
      ConditionExpression: 'attribute_exists(dueShard)',
      ExpressionAttributeValues: { ':dueAt': { N: String(Date.now() - 60_000) }, ':no': { BOOL: false } },
    });
  }
  return Items.map(({ sk }) => sk.S).sort();
}

/** Requests a pass of a target, like `evenkeel requeue`. */
export async function requestPass(world: CloudWorld, target: Target, id: string): Promise<void> {
  await sendEvent(world, target, { cause: 'requested' }, id);
}

/** Sends an event like the relay. */
export async function sendEvent(
  world: CloudWorld,
  target: Target,
  news: RequestedFacts | ShownFacts,
  id: string,
): Promise<void> {
  const event: SkinnyEvent = { v: EVENT_VERSION, ...target, incarnation: 1, at: Date.now(), ...news };
  await world.sendRaw(EVENTS_QUEUE, JSON.stringify(event), messageGroupId(target), id);
}

/**
 * Whether a request concerns the target: it reads or writes the target's item or one of its edges, or sends a message
 * about it.
 */
export function isAbout({ input }: AwsCall, target: Target): boolean {
  const text = JSON.stringify(input);
  // The cluster's name stands between `#` in keys, and between escaped quotes in messages.
  return (
    text.includes(target.uid) && [`#${target.cluster}#`, `"${target.cluster}\\"`].some((part) => text.includes(part))
  );
}

/** The queues of a controller group. */
export function queueNames(group: string) {
  const name = (suffix: string) => `evenkeel-${STAGE}-${group}-${suffix}.fifo`;
  return {
    events: name('events'),
    resync: name('resync'),
    eventsDead: name('events-dead'),
    resyncDead: name('resync-dead'),
  } as const;
}

export const {
  events: EVENTS_QUEUE,
  resync: RESYNC_QUEUE,
  eventsDead: EVENTS_DEAD,
  resyncDead: RESYNC_DEAD,
} = queueNames('secret-contract');
export const WAKES_QUEUE = `evenkeel-${STAGE}-wakes`;

function keyOf(target: Target) {
  const { pk, sk } = targetKey(target, TABLE_SHARDS);
  return { pk: { S: pk }, sk: { S: sk } };
}
