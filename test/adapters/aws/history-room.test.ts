import { type AttributeValue, DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { targetKey } from '../../../lib/adapters/state-keys.ts';
import { addToHistory, readHistory } from '../../../lib/core/pass-history.ts';
import type { CommitRecord } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { takeLease } from '../../support/take-lease.ts';

const NOW = 1_750_000_000_000;
const OWNER = `ip-10-0-0-1-4711-${'a'.repeat(8)}`;
const SHARDS = 1;

let table: EmbeddedTable;
let clients: AwsClients;
let store: DynamoDbStateStore;

beforeAll(async () => {
  table = await startEmbeddedTable({ tableName: 'state' });
  const endpoints = { dynamodb: table.endpoint };
  clients = createAwsClients({ region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, endpoints, maxSockets: 4 });
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

const HISTORY = Array.from({ length: 20 }, (_, at) => at).reduce<string>(
  (history, at) =>
    addToHistory(history, {
      startedAtMs: NOW + at,
      queueDelayMs: 3,
      durationMs: 12,
      outcome: 'settled',
      reason: '',
      attempts: 1,
      causes: [{ cause: 'resync', detail: '' }],
      moreCauses: 0,
      writeCount: 0,
      writes: [],
    }),
  '',
);

function record(padding: number): CommitRecord {
  return {
    incarnation: 1,
    observedVersion: 123_456,
    observedGeneration: 3,
    failures: 0,
    bucket: { tokens: 29.5, atMs: NOW },
    values: { padding: 'x'.repeat(padding) },
    dueAtMs: NOW + 21_600_000,
    dueSetAtMs: NOW,
    wakeSent: false,
    versions: { 'secrets/default/web': 123_400, 'configmaps/default/web': 0 },
    edges: ['secrets/default/web', 'configmaps/default/web'],
    reconcilerVersion: '2-0123456789',
    lastOutcome: { type: 'settled', reason: '', message: '', atMs: NOW, durationMs: 12, cause: 'resync' },
    pastPasses: HISTORY,
  };
}

type Raw = Record<string, AttributeValue>;

/** The units that the table itself charges for an item with this content. */
async function unitsOf(item: Raw): Promise<number> {
  const { pk, sk } = item;
  // The charge for a write includes the item that it replaces.
  if (pk !== undefined && sk !== undefined)
    await clients.dynamodb.send(new DeleteItemCommand({ TableName: 'state', Key: { pk, sk } }));
  const command = new PutItemCommand({ TableName: 'state', Item: item, ReturnConsumedCapacity: 'TOTAL' });
  const units = (await clients.dynamodb.send(command)).ConsumedCapacity?.CapacityUnits;
  if (units === undefined) throw new Error('the table does not say what a write costs');
  return units;
}

describe('the room for the history of an object', () => {
  it('R-5.11 R-6.10 the history costs no additional write unit at any size of the item, and most sizes have room for 4 passes', async () => {
    const kept: number[] = [];
    // Every size of the last unit: two units in steps of 11 bytes.
    for (let padding = 0; padding < 2_048; padding += 11) {
      const target = { cluster: 'c', kind: 'widgets.dev', uid: `u-${padding}`, namespace: 'default', name: 'web' };
      const attempt = 'b'.repeat(36);
      const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 34_000 };
      const state = await takeLease(store, { target, ownAddress: true, owner: OWNER, attempt, ...times });
      const hold = { target, owner: OWNER, epoch: state?.epoch ?? 0 };
      expect(await store.commit(hold, record(padding))).toBe(true);
      const { pk, sk } = targetKey(target, SHARDS);
      const get = new GetItemCommand({ TableName: 'state', Key: { pk: { S: pk }, sk: { S: sk } } });
      const { Item: item = {} } = await clients.dynamodb.send(get);
      const lease = {
        leaseOwner: { S: OWNER },
        leaseAttempt: { S: attempt },
        leaseUntil: { N: String(NOW + 30_000) },
      };
      const { pastPasses, ...without } = item;
      kept.push(readHistory(pastPasses?.S).length);
      // The index contains neither attribute, so its cost cancels out.
      expect([padding, await unitsOf(item), await unitsOf({ ...item, ...lease })]).toEqual([
        padding,
        await unitsOf(without),
        await unitsOf({ ...without, ...lease }),
      ]);
    }
    expect(Math.max(...kept)).toBeGreaterThanOrEqual(15);
    expect(kept.filter((passes) => passes >= 4).length / kept.length).toBeGreaterThan(0.5);
  });
});
