import { DeleteTableCommand, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import { edgeKey, pollKey, type TableKey, targetKey } from '../../../lib/adapters/state-keys.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { STATE_FORMAT } from '../../../lib/core/installation.ts';
import type { CommitRecord } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { takeLease } from '../../support/take-lease.ts';
import { EDGE_OF_0_1, POLL_OF_0_1, TARGET_OF_0_1 } from './items-of-0-1.ts';

const NOW = 1_750_000_000_000;
const SHARDS = 2;
const RECORD: CommitRecord = {
  incarnation: 1,
  observedVersion: 5,
  failures: 0,
  bucket: { tokens: 1, atMs: NOW },
  values: {},
  dueAtMs: NOW + 1,
  wakeSent: false,
  versions: { 'secrets/default/a': 1 },
  edges: ['secrets/default/a'],
  reconcilerVersion: '1',
  lastOutcome: { type: 'settled', reason: 'Settled', message: '', atMs: NOW, durationMs: 1, cause: 'updated' },
};

let table: EmbeddedTable;
let clients: AwsClients;
let store: DynamoDbStateStore;
let uids = 0;

beforeAll(async () => {
  table = await startEmbeddedTable({ tableName: 'state' });
  clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: table.endpoint },
    maxSockets: 4,
  });
  store = storeOn('state');
});

afterAll(async () => {
  clients.close();
  await table.close();
});

function storeOn(tableName: string, client = clients.dynamodb): DynamoDbStateStore {
  return new DynamoDbStateStore({ client, tableName, clock: new ManualClock(), shards: SHARDS });
}

function freshTarget() {
  uids += 1;
  return { cluster: 'test', kind: 'widgets.dev', uid: `uid-${uids}`, namespace: 'default', name: 'one' };
}

async function rawItem({ pk, sk }: TableKey) {
  const command = new GetItemCommand({ TableName: 'state', Key: { pk: { S: pk }, sk: { S: sk } } });
  return (await clients.dynamodb.send(command)).Item;
}

async function setAttribute({ pk, sk }: TableKey, name: string, value: { N: string } | { S: string }) {
  const command = new UpdateItemCommand({
    TableName: 'state',
    Key: { pk: { S: pk }, sk: { S: sk } },
    UpdateExpression: 'SET #name = :value',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
  });
  await clients.dynamodb.send(command);
}

async function acquire(target: ReturnType<typeof freshTarget>) {
  const state = await takeLease(store, {
    target,
    owner: 'w',
    attempt: 'a',
    nowMs: NOW,
    leaseUntilMs: NOW + 30_000,
    latestUntilMs: NOW + 30_000 + 4_000,
  });
  if (state === undefined) throw new Error('not free');
  return { target, owner: 'w', epoch: state.epoch };
}

describe('the table as other releases see it', () => {
  it('R-6.8 writes keep attributes that this release does not know', async () => {
    const target = freshTarget();
    const key = targetKey(target, SHARDS);
    await setAttribute(key, 'addedLater', { S: 'kept' });
    const hold = await acquire(target);
    await store.markHeld(hold, 'any', NOW, NOW);
    await store.saveValues(hold, { a: 1 });
    await store.commit(hold, RECORD, ['any']);
    await store.defer(await acquire(target), {
      dueAtMs: NOW,
      dueSetAtMs: NOW,
      wakeSent: true,
      lastOutcome: RECORD.lastOutcome,
    });
    expect((await rawItem(key))?.addedLater).toEqual({ S: 'kept' });
    expect(await store.readTarget(target)).toMatchObject({ observedVersion: 5 });

    const edge = { cluster: 'test', key: 'secrets/default/a', reader: target, epoch: 3 };
    await store.putEdge(edge);
    await setAttribute(edgeKey(edge, SHARDS), 'addedLater', { S: 'kept' });
    await store.putEdge({ ...edge, epoch: 4 });
    expect((await rawItem(edgeKey(edge, SHARDS)))?.addedLater).toEqual({ S: 'kept' });
    expect((await store.readers('test', 'secrets/default/a')).items).toEqual([{ ...edge, epoch: 4 }]);
  });

  it('R-6.8 this release reads an item of release 0.1 with its meaning, and 0.1 reads what this release writes', async () => {
    for (const Item of [TARGET_OF_0_1, EDGE_OF_0_1]) {
      await clients.dynamodb.send(new PutItemCommand({ TableName: 'state', Item }));
    }
    const target = { cluster: 'c', kind: 'widgets.dev', uid: 'u', namespace: 'default', name: 'one' };
    const { target: _target, wakeSent: _wakeSent, ...found } = (await store.readTarget(target)) ?? {};
    expect(found).toEqual({
      epoch: NOW + 1,
      committedEpoch: NOW + 1,
      dirty: [],
      incarnation: 1,
      observedVersion: 5,
      observedGeneration: 2,
      failures: 1,
      bucket: { tokens: 1, atMs: NOW },
      values: { rev: 3 },
      dueAtMs: NOW + 1,
      versions: { 'secrets/default/a': 1 },
      edges: ['secrets/default/a'],
      reconcilerVersion: '1',
      lastOutcome: RECORD.lastOutcome,
    });
    expect((await store.readers('c', 'secrets/default/a')).items).toEqual([
      { cluster: 'c', key: 'secrets/default/a', reader: target, epoch: 3 },
    ]);
    expect(await store.due(0, NOW + 1)).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ type: 'target', dueAtMs: NOW + 1 })]),
    });

    await store.commit(await acquire(target), { ...RECORD, observedGeneration: 3 });
    const types = (item: object) => Object.entries(item).map(([name, value]) => [name, Object.keys(value)[0]]);
    const written = (await rawItem({ pk: 'T#c#widgets.dev#0', sk: 'u' })) ?? {};
    expect(types(written)).toEqual(expect.arrayContaining(types(TARGET_OF_0_1)));
    expect(written.format).toEqual(TARGET_OF_0_1.format);
  });

  it.each([NOW - 600_000, NOW + 1, NOW + 600_000])(
    'R-6.8 R-1.29 the time at which a timer was set is not known when an older release moved the timer to %i',
    async (movedToMs) => {
      const target = freshTarget();
      const key = targetKey(target, SHARDS);
      const due = { dueAtMs: NOW, dueSetAtMs: NOW - 60_000 };
      await store.commit(await acquire(target), { ...RECORD, ...due });
      expect(await store.readTarget(target)).toMatchObject(due);
      await setAttribute(key, 'dueAt', { N: String(movedToMs) });
      const moved = await store.readTarget(target);
      expect(moved?.dueAtMs).toBe(movedToMs);
      expect(moved).not.toHaveProperty('dueSetAtMs');
      const poll = { cluster: 'c', group: 't4', kind: 'secrets', namespace: 'default', name: target.uid };
      await store.touchPoll(poll, NOW - 60_000, 60_000);
      expect(await store.readPoll(poll)).toMatchObject(due);
      await setAttribute(pollKey(poll), 'dueAt', { N: String(movedToMs) });
      const movedPoll = await store.readPoll(poll);
      expect(movedPoll?.dueAtMs).toBe(movedToMs);
      expect(movedPoll).not.toHaveProperty('dueSetAtMs');
    },
  );

  it('R-6.8 R-1.11 a forgotten target lives and does not expire when an older release took it', async () => {
    const target = freshTarget();
    const key = targetKey(target, SHARDS);
    const hold = await acquire(target);
    await store.forget(hold, NOW + 3_600_000);
    const expiresAt = { N: String(NOW / 1_000 + 3_600) };
    expect((await rawItem(key))?.expiresAt).toEqual(expiresAt);
    await setAttribute(key, 'objectName', { S: 'default/one' });
    const { epoch } = hold;
    expect(await store.readTarget(target)).toMatchObject({ epoch });
    const [found] = await store.readTargets([target]);
    expect(found).toMatchObject({ target });
    const revived = await acquire(target);
    expect(revived.epoch).toBe(epoch + 1);
    expect((await rawItem(key))?.expiresAt).toBeUndefined();
    await setAttribute(key, 'expiresAt', expiresAt);
    await store.commit(revived, RECORD);
    expect((await rawItem(key))?.expiresAt).toBeUndefined();
  });

  it('R-6.8 a poll of release 0.1 counts as one without a wake, and gets its wakeSent when it is recorded', async () => {
    const poll = { cluster: 'c', group: 't4', kind: 'secrets', namespace: 'default', name: 'a' };
    const { pk, sk } = pollKey(poll);
    const Item = { ...POLL_OF_0_1, pk: { S: pk }, sk: { S: sk } };
    await clients.dynamodb.send(new PutItemCommand({ TableName: 'state', Item }));
    const read = await store.readPoll(poll);
    if (read === undefined) throw new Error('the poll is absent');
    expect(read).toEqual({ poll, version: 7, counter: 2, intervalMs: 30_000, dueAtMs: NOW + 30_000, wakeSent: false });
    expect(await store.savePoll(read, 8, NOW + 60_000, NOW)).toBe(true);
    expect(await store.readPoll(poll)).toEqual({
      ...read,
      version: 8,
      dueAtMs: NOW + 60_000,
      dueSetAtMs: NOW,
      wakeSent: true,
    });
  });

  it('R-6.8 an item has the format of its release', async () => {
    const target = freshTarget();
    await acquire(target);
    expect((await rawItem(targetKey(target, SHARDS)))?.format).toEqual({ N: String(STATE_FORMAT) });
  });

  it('R-6.8 an item of a newer format is not changed, and reading it gives a clear error', async () => {
    const target = freshTarget();
    const key = targetKey(target, SHARDS);
    await store.commit(await acquire(target), RECORD);
    await setAttribute(key, 'format', { N: String(STATE_FORMAT + 1) });
    const before = await rawItem(key);
    await expect(acquire(target)).rejects.toThrow(/has format 2/);
    expect(await rawItem(key)).toEqual(before);
    const failure = await store.readTarget(target).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InfrastructureError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/test\/widgets\.dev\/uid-\d+ has format 2.*newer release/),
    });
  });

  it('R-1.25 an item without a timer has neither attribute of the index', async () => {
    const target = freshTarget();
    const key = targetKey(target, SHARDS);
    await store.commit(await acquire(target), RECORD);
    expect(await rawItem(key)).toMatchObject({ dueAt: { N: String(NOW + 1) }, dueShard: { N: expect.any(String) } });
    const { dueAtMs: _dueAtMs, ...withoutDeadline } = RECORD;
    await store.commit(await acquire(target), withoutDeadline);
    expect(await rawItem(key)).not.toHaveProperty('dueAt');
    expect(await rawItem(key)).not.toHaveProperty('dueShard');
  });

  it('R-6.8 an item of an unknown kind in the index over timers is ignored', async () => {
    await setAttribute({ pk: 'Z#test#later', sk: 'x' }, 'dueShard', { N: '0' });
    await setAttribute({ pk: 'Z#test#later', sk: 'x' }, 'dueAt', { N: '1' });
    expect(await store.due(0, 1)).toEqual({ items: [] });
  });
});

describe('a table that does not answer', () => {
  it('R-5.4 the error names a missing table, and what to do', async () => {
    const failure = await storeOn('elsewhere')
      .readTarget(freshTarget())
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InfrastructureError);
    expect(failure).toMatchObject({
      code: 'INFRASTRUCTURE',
      message: expect.stringMatching(
        /DynamoDB GetItem on elsewhere failed with ResourceNotFoundException: check its name/,
      ),
      cause: expect.any(Error),
    });
  });

  it('R-5.4 every method reports that the table is gone', async () => {
    const gone = await startEmbeddedTable({ tableName: 'state' });
    const own = createAwsClients({
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      endpoints: { dynamodb: gone.endpoint },
      maxSockets: 4,
    });
    await own.dynamodb.send(new DeleteTableCommand({ TableName: 'state' }));
    const target = freshTarget();
    const hold = { target, owner: 'w', epoch: 1 };
    const edge = { cluster: 'test', key: 'secrets/default/a', reader: target, epoch: 1 };
    const poll = { cluster: 'test', group: 'g', kind: 'secrets', namespace: 'default', name: 'a' };
    const dead = storeOn('state', own.dynamodb);
    const calls: (() => Promise<unknown>)[] = [
      () =>
        dead.acquire({ target, owner: 'w', attempt: 'a', nowMs: NOW, leaseUntilMs: NOW, latestUntilMs: NOW + 4_000 }),
      () => dead.readTargets([target]),
      () => dead.commit(hold, RECORD),
      () => dead.readTarget(target),
      () => dead.forget(hold, NOW),
      () => dead.due(0, NOW),
      () => dead.inventory('test', 'secrets', 0),
      () => dead.putEdge(edge),
      () => dead.deleteEdge(edge),
      () => dead.readers('test', 'secrets/default/a'),
      () => dead.touchPoll(poll, NOW, 30_000),
      () => dead.holdRelay('test', 'r', NOW, NOW),
      () => dead.claimCheckpoint('test', 'secrets', 1),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(InfrastructureError);
    own.close();
    await gone.close();
  });
});
