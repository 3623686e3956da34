import { type AttributeValue, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { clusterKey, fanoutKey, pollKey, type TableKey, targetKey } from '../../../lib/adapters/state-keys.ts';
import { InfrastructureError, ItemError } from '../../../lib/core/errors.ts';
import type { Target } from '../../../lib/core/target.ts';
import { DOUBT_MS } from '../../../lib/ports/fanout-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { startOldItemProxy } from '../../support/old-item-proxy.ts';
import { takeLease } from '../../support/take-lease.ts';

const NOW = 1_750_000_000_000;
const SHARDS = 1;
const KIND = 'widgets.dev';

let table: EmbeddedTable;
let clients: AwsClients;
let store: DynamoDbStateStore;
let clusters = 0;

beforeAll(async () => {
  table = await startEmbeddedTable({ tableName: 'state' });
  clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: table.endpoint },
    maxSockets: 4,
  });
  store = new DynamoDbStateStore({
    client: clients.dynamodb,
    tableName: 'state',
    clock: new ManualClock(),
    shards: SHARDS,
  });
});

afterAll(async () => {
  clients.close();
  await table.close();
});

async function spoil({ pk, sk }: TableKey, name: string, value: AttributeValue): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: 'state',
    Key: { pk: { S: pk }, sk: { S: sk } },
    UpdateExpression: 'SET #name = :value',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
  });
  await clients.dynamodb.send(command);
}

const begin = (target: Target) =>
  takeLease(store, {
    target,
    owner: 'o',
    attempt: 'a',
    nowMs: NOW,
    leaseUntilMs: NOW - 1,
    latestUntilMs: NOW + 60_000,
  });

async function twoTargets(): Promise<[Target, Target]> {
  clusters += 1;
  const [bad, good] = ['bad', 'good'].map((name) => ({
    cluster: `c-${clusters}`,
    kind: KIND,
    uid: `uid-${name}`,
    namespace: 'default',
    name,
  })) as [Target, Target];
  for (const target of [bad, good]) await begin(target);
  return [bad, good];
}

describe('an item of the table that cannot be read', () => {
  it.each<[string, string, AttributeValue]>([
    ['an outcome that is no JSON', 'lastOutcome', { S: '{"type":' }],
    ['an outcome of another shape', 'lastOutcome', { S: '{"type":"settled"}' }],
    ['a newer format', 'format', { N: '99' }],
    ['durable values that are no JSON', 'durableValues', { S: 'hunter2' }],
    ['an incarnation that is a text', 'incarnation', { S: '1' }],
    ['versions that are texts', 'versions', { M: { 'secrets/default/a': { S: 'x' } } }],
  ])('R-5.19 an unreadable item affects only its target, and is named: %s', async (_, name, value) => {
    const [bad, good] = await twoTargets();
    await spoil(targetKey(bad, SHARDS), name, value);
    const { items } = await store.inventory(bad.cluster, KIND, 0);
    const read = await store.readTargets([bad, good]);
    for (const states of [items, read]) {
      expect(states).toHaveLength(2);
      expect(states.find(({ target }) => target.name === 'good')?.unreadable).toBeUndefined();
      const unreadable = states.find(({ target }) => target.name === 'bad');
      expect(unreadable).toMatchObject({ target: bad, unreadable: expect.stringContaining('uid-bad') });
      expect(JSON.stringify(unreadable)).not.toContain('hunter2');
    }
    // An item with a newer format refuses the acquire, and is reported as unreadable, as by a read.
    for (const one of [() => store.readTarget(bad), () => begin(bad)]) await expect(one()).rejects.toThrow(ItemError);
    expect(await store.readTarget(good)).toMatchObject({ target: good });
  });

  it.each([
    ['returns', true],
    ['does not return', false],
  ])(
    'R-5.19 a refused acquire names the target when the table %s the item that refused',
    async (_, returnsRefusing) => {
      const proxy = returnsRefusing ? await startOldItemProxy(table.endpoint) : undefined;
      const own = createAwsClients({
        region: LOCAL_REGION,
        credentials: LOCAL_CREDENTIALS,
        endpoints: { dynamodb: proxy?.endpoint ?? table.endpoint },
        maxSockets: 4,
      });
      const onTable = new DynamoDbStateStore({
        client: own.dynamodb,
        tableName: 'state',
        shards: SHARDS,
        clock: new ManualClock(),
      });
      const [bad] = await twoTargets();
      const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 60_000 };
      expect(await takeLease(onTable, { target: bad, owner: 'o', attempt: 'a', ...times })).toBeDefined();
      await spoil(targetKey(bad, SHARDS), 'lastOutcome', { S: 'hunter2' });
      const refused = onTable.acquire({ target: bad, owner: 'p', attempt: 'b', ...times });
      await expect(refused).rejects.toThrow(/the item of target \S+uid-bad cannot be read/);
      own.close();
      await proxy?.close();
    },
  );

  it.each([
    ['no interval', 'pollInterval', { S: 'x' }],
    ['a counter that is a text', 'pollCounter', { S: '1' }],
    ['a version that is a text', 'seenVersion', { S: '1' }],
  ])('R-5.19 a poll with an unreadable item is not polled again and again at once: %s', async (_, name, value) => {
    const poll = { cluster: 'polls', group: 'g', kind: 'secrets', namespace: 'default', name: `p-${name}` };
    await store.touchPoll(poll, NOW, 60_000);
    await spoil(pollKey(poll), name, value);
    await expect(store.readPoll(poll)).rejects.toThrow(ItemError);
  });

  it.each<[string, string, AttributeValue]>([
    ['a round that is a text', 'fanoutRound', { S: '7' }],
    ['the time of a round that is a text', 'roundAt', { S: 'x' }],
    ['the time of a prompt round that is a truth value', 'promptAt', { BOOL: true }],
    ['a doubt that is a text', 'doubtUntil', { S: '9' }],
    ['what was seen that is no JSON', 'seen', { S: '{"uid":' }],
    ['an incarnation that is a text', 'incarnation', { S: '1' }],
    ['a version that is a text', 'seenVersion', { S: '99' }],
  ])(
    'R-5.19 R-5.17 an unreadable marker is named when it is read, and the next change repairs it: %s',
    async (_, name, value) => {
      const key = { cluster: 'markers', group: 'g', kind: 'secrets', namespace: 'default', name: `m-${name}` };
      const change = (version: number) => ({ incarnation: 1, version, seen: { resourceVersion: String(version) } });
      await store.recordChange(key, change(7), NOW);
      await spoil(fanoutKey(key), name, value);
      const error = await store.readMarker(key).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ItemError);
      expect((error as Error).message).toContain(`default/m-${name}`);
      const made = await store.recordChange(key, change(8), NOW + 5);
      expect(made).toMatchObject({ key, ...change(8) });
      if (['fanoutRound', 'roundAt', 'promptAt', 'doubtUntil'].includes(name)) {
        expect(made).toEqual({
          key,
          ...change(8),
          round: NOW + 5,
          doubtUntilMs: NOW + 5 + DOUBT_MS,
          unreadable: expect.stringContaining(`its ${name}`),
        });
      }
      const read = (await store.readMarker(key)) ?? expect.fail('no marker');
      expect(read).toMatchObject(change(8));
      expect(await store.beginRound(read, NOW + 9, true)).toMatchObject({ ...change(8), round: read.round + 1 });
      expect((await store.recordChange(key, change(9), NOW + 10))?.unreadable).toBeUndefined();
    },
  );

  it('R-5.19 R-5.17 the repair of a marker keeps the newer of two changes that find it unreadable', async () => {
    const key = { cluster: 'markers', group: 'g', kind: 'secrets', namespace: 'default', name: 'two' };
    const change = (version: number) => ({ incarnation: 1, version, seen: { resourceVersion: String(version) } });
    await store.recordChange(key, change(7), NOW);
    await spoil(fanoutKey(key), 'fanoutRound', { S: '7' });
    const made = await Promise.all([store.recordChange(key, change(8), NOW), store.recordChange(key, change(9), NOW)]);
    expect(made.filter((marker) => marker?.unreadable !== undefined)).toHaveLength(1);
    expect(await store.readMarker(key)).toMatchObject(change(9));
  });

  it('R-5.19 an unreadable cluster item does not count as a new cluster, and no message is blamed', async () => {
    await spoil(clusterKey('spoilt'), 'incarnation', { S: 'two' });
    const error = await store.readCluster('spoilt').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InfrastructureError);
    expect(error).not.toBeInstanceOf(ItemError);
    expect((error as Error).message).toContain('R#spoilt');
    expect(await store.readCluster('another')).toMatchObject({ incarnation: 1 });
  });
});
