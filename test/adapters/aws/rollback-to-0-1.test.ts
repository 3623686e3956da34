import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { DynamoDbStateStore } from '../../../lib/adapters/aws/dynamodb-state-store.ts';
import type { Target } from '../../../lib/core/target.ts';
import type { AcquireRequest, CommitRecord } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../support/emulators/embedded-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { refusedBy, takeLease } from '../../support/take-lease.ts';
import { type Commit01, Release01Table } from './release-0-1-table.ts';

const NOW = 1_750_000_000_000;
const SETTLED = { type: 'settled', reason: '', message: '', atMs: NOW, durationMs: 1, cause: 'updated' } as const;

/** Every attribute that an item of this release can have. */
const RECORD: CommitRecord = {
  incarnation: 1,
  observedVersion: 5,
  observedGeneration: 2,
  failures: 3,
  bucket: { tokens: 4, atMs: NOW },
  values: { rev: 3 },
  dueAtMs: NOW + 60_000,
  dueSetAtMs: NOW,
  wakeSent: true,
  versions: { 'secrets/default/a': 7 },
  edges: ['secrets/default/a', 'secrets/default/*'],
  rememberedWrites: ['a-mark', 'another'],
  reconcilerVersion: '2-x',
  lastOutcome: { ...SETTLED, terminating: true },
  pastPasses: '[1764531000000,4,12]',
  conditionOwners: { Synced: 'controller', Ready: 'engine' },
};

const COMMIT_OF_0_1: Commit01 = {
  observedVersion: 9,
  dueAtMs: NOW + 120_000,
  values: { rev: 4 },
  versions: { 'secrets/default/b': 8 },
  lastOutcome: SETTLED,
};

let table: EmbeddedTable;
let clients: AwsClients;
let store: DynamoDbStateStore;
let release01: Release01Table;
let uids = 0;

beforeAll(async () => {
  table = await startEmbeddedTable({ tableName: 'state' });
  clients = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: table.endpoint },
    maxSockets: 4,
  });
  store = new DynamoDbStateStore({ client: clients.dynamodb, tableName: 'state', clock: new ManualClock(), shards: 1 });
  release01 = new Release01Table(clients.dynamodb, 'state');
});

afterAll(async () => {
  clients.close();
  await table.close();
});

function freshTarget(): Target {
  uids += 1;
  return { cluster: 'c', kind: 'widgets.dev', uid: `uid-${uids}`, namespace: 'default', name: 'one' };
}

function acquireRequest(target: Target, atMs: number): AcquireRequest {
  return {
    target,
    ownAddress: true,
    owner: 'worker',
    attempt: 'a',
    nowMs: atMs,
    leaseUntilMs: atMs + 30_000,
    latestUntilMs: atMs + 34_000,
  };
}

async function acquire(target: Target, atMs: number, forgottenEpoch?: number) {
  const state = await takeLease(store, {
    ...acquireRequest(target, atMs),
    ...(forgottenEpoch !== undefined && { forgottenEpoch }),
  });
  if (state === undefined) throw new Error('not free');
  return { state, hold: { target, owner: 'worker', epoch: state.epoch } };
}

/** A target that this release committed with every attribute. */
async function committed() {
  const target = freshTarget();
  const { hold } = await acquire(target, NOW);
  expect(await store.commit(hold, RECORD)).toBe(true);
  return { target, epoch: hold.epoch };
}

async function acquireAs01(target: Target, atMs = NOW + 1_000) {
  const state = await release01.acquire(target, atMs);
  if (state === undefined) throw new Error('release 0.1 was refused');
  return state.epoch;
}

describe('a rollback to release 0.1', () => {
  it('R-6.8 release 0.1 reads all that it knows of an item of this release', async () => {
    const { target, epoch } = await committed();
    expect(await release01.read(target)).toEqual({
      isForgotten: false,
      objectName: 'default/one',
      leaseOwner: undefined,
      epoch,
      committedEpoch: epoch,
      dirty: [],
      incarnation: 1,
      observedVersion: 5,
      observedGeneration: 2,
      failures: 3,
      tokens: 4,
      tokensAtMs: NOW,
      values: { rev: 3 },
      dueAtMs: NOW + 60_000,
      wakeSent: true,
      versions: { 'secrets/default/a': 7 },
      edges: expect.arrayContaining(['secrets/default/a', 'secrets/default/*']),
      reconcilerVersion: '2-x',
      lastOutcome: expect.objectContaining(SETTLED),
    });
    expect(await release01.due(NOW + 60_000)).toContain(target.uid);
    expect(await release01.inventory()).toContain(target.uid);
  });

  it.each([
    [4, false],
    [5, false],
    [6, true],
  ])(
    'R-6.8 release 0.1 uses what this release observed to decide whether version %i needs a pass: %s',
    async (version, isNew) => {
      const { target, epoch } = await committed();
      const state = await release01.acquire(target, NOW + 1_000, version);
      expect(state?.epoch).toBe(isNew ? epoch + 1 : undefined);
    },
  );

  it('R-6.8 release 0.1 takes over the lease of a dead worker of this release, and its marks are not lost', async () => {
    const target = freshTarget();
    const { hold } = await acquire(target, NOW);
    await store.markHeld(hold, 'any', NOW + 35_000, NOW, { namespace: 'default', name: 'one' });
    expect(await release01.acquire(target, NOW + 29_000)).toBeUndefined();
    expect(await release01.read(target)).toMatchObject({ dirty: ['any'], dueAtMs: NOW + 35_000 });
    expect(await release01.due(NOW + 35_000)).toContain(target.uid);
    expect(await acquireAs01(target, NOW + 31_000)).toBe(hold.epoch + 1);
    expect(await store.commit(hold, RECORD)).toBe(false);
  });

  it('R-6.8 this release reads what release 0.1 committed over its item, and what 0.1 does not know is still there', async () => {
    const { target } = await committed();
    const epoch = await acquireAs01(target);
    expect(await release01.commit(target, epoch, COMMIT_OF_0_1)).toBe(true);
    const { observedGeneration: _, dueSetAtMs: _set, ...kept } = RECORD;
    expect(await store.readTarget(target)).toEqual({
      ...kept,
      target,
      epoch,
      committedEpoch: epoch,
      dirty: [],
      observedVersion: 9,
      failures: 0,
      bucket: { tokens: 5, atMs: NOW + 120_000 },
      values: { rev: 4 },
      dueAtMs: NOW + 120_000,
      versions: { 'secrets/default/b': 8 },
      edges: ['secrets/default/b'],
      rememberedWrites: expect.arrayContaining(['a-mark', 'another']),
      reconcilerVersion: '0.1',
      lastOutcome: SETTLED,
    });
    const { hold } = await acquire(target, NOW + 2_000);
    expect(await store.commit(hold, RECORD)).toBe(true);
    expect(await store.readTarget(target)).toMatchObject({ dueAtMs: NOW + 60_000, dueSetAtMs: NOW });
  });

  it.each([NOW - 600_000, NOW + 61_000, NOW + 3_600_000])(
    'R-6.8 R-1.29 a timer that release 0.1 set to %i is not judged by the time at which the previous one was set',
    async (dueAtMs) => {
      const ways = [
        async (target: Target) =>
          await release01.commit(target, await acquireAs01(target), { ...COMMIT_OF_0_1, dueAtMs }),
        async (target: Target) => await release01.defer(target, await acquireAs01(target), dueAtMs, SETTLED),
        async (target: Target) => await release01.markHeld(target, await acquireAs01(target), dueAtMs),
        async (target: Target, epoch: number) =>
          await release01.pushDue(target, { dueAtMs: NOW + 60_000, epoch }, dueAtMs),
      ];
      for (const set of ways) {
        const { target, epoch } = await committed();
        expect(await set(target, epoch)).toBe(true);
        const state = await store.readTarget(target);
        expect(state?.dueAtMs).toBe(dueAtMs);
        expect(state).not.toHaveProperty('dueSetAtMs');
        const { items } = await store.due(0, dueAtMs);
        expect(items).toContainEqual(expect.objectContaining({ type: 'target', dueAtMs }));
      }
    },
  );

  it('R-6.8 R-1.11 a target that this release forgot starts again under release 0.1 without its old state', async () => {
    const { target } = await committed();
    const { hold } = await acquire(target, NOW + 1_000);
    expect(await store.forget(hold, NOW + 3_600_000)).toBe(true);
    expect(await release01.acquire(target, NOW + 2_000)).toBeUndefined();
    const begun = await release01.acquire(target, NOW + 2_000, undefined, hold.epoch);
    expect(begun).toMatchObject({ epoch: hold.epoch + 1, versions: {}, values: {}, edges: [], isForgotten: false });
    await release01.commit(target, hold.epoch + 1, COMMIT_OF_0_1);
    const state = await store.readTarget(target);
    for (const name of ['rememberedWrites', 'conditionOwners', 'dueSetAtMs']) expect(state).not.toHaveProperty(name);
  });

  it('R-6.8 R-1.11 a target that release 0.1 forgot is forgotten, and starts again without a timer', async () => {
    const { target } = await committed();
    const epoch = await acquireAs01(target);
    expect(await release01.forget(target, epoch, NOW + 3_600_000)).toBe(true);
    expect(await refusedBy(store, acquireRequest(target, NOW + 2_000))).toEqual({ type: 'forgotten', epoch });
    expect(await store.readTargets([target])).toEqual([]);
    const { state } = await acquire(target, NOW + 2_000, epoch);
    expect(state).toMatchObject({ epoch: epoch + 1, versions: {}, values: {}, edges: [] });
    for (const name of ['dueAtMs', 'dueSetAtMs', 'lastOutcome']) expect(state).not.toHaveProperty(name);
  });

  it.each<[string, object, object]>([
    ['no reason', { type: 'terminal', message: 'm' }, { type: 'terminal', reason: '', message: 'm' }],
    ['a reason that is a number', { type: 'terminal', reason: 42, message: 'm' }, { reason: '', message: 'm' }],
    ['a message that is a list', { type: 'terminal', reason: 'R', message: ['m'] }, { reason: 'R', message: '' }],
  ])(
    'R-6.8 R-1.27 an item of release 0.1 is read although its controller returned an outcome with %s',
    async (_, outcome, read) => {
      const target = freshTarget();
      const { atMs, durationMs, cause } = SETTLED;
      const lastOutcome = { ...outcome, atMs, durationMs, cause };
      await release01.commit(target, await acquireAs01(target), { ...COMMIT_OF_0_1, lastOutcome });
      expect((await store.readTarget(target))?.lastOutcome).toEqual({
        type: 'terminal',
        ...read,
        atMs,
        durationMs,
        cause,
      });
      const [listed] = (await store.inventory('c', 'widgets.dev', 0)).items.filter(
        (each) => each.target.uid === target.uid,
      );
      expect(listed).not.toHaveProperty('unreadable');
      await acquire(target, NOW + 2_000);
    },
  );

  it.each<[string, unknown, unknown]>([
    ['a list', [1, 2], [1, 2]],
    ['a text', 'x', 'x'],
    ['null', null, {}],
  ])('R-6.8 R-1.27 durable values that are %s are read as release 0.1 reads them', async (_, values, read) => {
    const target = freshTarget();
    const record = { ...COMMIT_OF_0_1, values: values as object };
    await release01.commit(target, await acquireAs01(target), record);
    expect((await release01.read(target))?.values).toEqual(read);
    expect((await store.readTarget(target))?.values).toEqual(read);
  });

  it('R-6.8 release 0.1 records a poll that this release touched, and the poll continues here', async () => {
    const poll = { cluster: 'c', group: 'group', kind: 'secrets', namespace: 'default', name: 'polled' };
    await store.touchPoll(poll, NOW, 30_000);
    const expected = { version: undefined, counter: 1, intervalMs: 30_000, dueAtMs: NOW + 30_000, wakeSent: false };
    expect(await release01.readPoll('polled')).toEqual(expected);
    expect(await release01.savePoll('polled', 1, 12, NOW + 60_000)).toBe(true);
    const read = await store.readPoll(poll);
    if (read === undefined) throw new Error('the poll is absent');
    expect(read).toEqual({ poll, version: 12, counter: 1, intervalMs: 30_000, dueAtMs: NOW + 60_000, wakeSent: true });
    expect(await store.savePoll(read, 13, NOW + 90_000, NOW + 60_000)).toBe(true);
    expect(await release01.readPoll('polled')).toMatchObject({ version: 13, dueAtMs: NOW + 90_000 });
  });

  it('R-6.8 R-1.29 relays of both releases take over from each other, and never from one that still renews', async () => {
    const first = (await store.holdRelay('relayed', 'new', NOW, NOW + 30_000)) ?? 0;
    expect(await release01.holdRelay('relayed', 'old', NOW + 29_000, NOW + 59_000)).toBeUndefined();
    expect(await store.holdRelay('relayed', 'new', NOW + 10_000, NOW + 40_000)).toBe(first);
    expect(await release01.holdRelay('relayed', 'old', NOW + 31_000, NOW + 61_000)).toBeUndefined();
    const second = (await release01.holdRelay('relayed', 'old', NOW + 41_000, NOW + 71_000)) ?? 0;
    expect(second).toBe(first + 1);
    const seen = (await store.readCluster('relayed')).relay;
    expect(seen).toMatchObject({ owner: 'old', epoch: second, untilMs: NOW + 71_000 });
    expect(await release01.holdRelay('relayed', 'old', NOW + 51_000, NOW + 81_000)).toBe(second);
    expect(await store.holdRelay('relayed', 'new', NOW + 90_000, NOW + 120_000, seen)).toBeUndefined();
    const unchanged = (await store.readCluster('relayed')).relay;
    expect(await store.holdRelay('relayed', 'new', NOW + 90_000, NOW + 120_000, unchanged)).toBe(second + 1);
  });

  it('R-6.8 release 0.1 reads no fan-out marker and no failure count, and both continue after it', async () => {
    const key = { cluster: 'c', group: 'group', kind: 'secrets', namespace: 'default', name: 'wide' };
    const observation = { incarnation: 1, version: 5, seen: { resourceVersion: '5' } };
    const marker = await store.recordChange(key, observation, NOW);
    await store.countFailure('queue/message', NOW);
    const { target, epoch } = await committed();
    expect(await release01.due(Number.MAX_SAFE_INTEGER)).not.toContain('default/wide');
    expect(await release01.due(Number.MAX_SAFE_INTEGER)).not.toContain('failures');
    expect(await release01.inventory()).toContain(target.uid);
    await release01.pushDue(target, { dueAtMs: NOW + 60_000, epoch }, NOW + 90_000);
    expect(await store.recordChange(key, { ...observation, version: 4 }, NOW)).toBeUndefined();
    expect(await store.recordChange(key, { ...observation, version: 6 }, NOW)).toMatchObject({ round: marker?.round });
    expect(await store.countFailure('queue/message', NOW)).toBe(2);
  });
});
