import { DatabaseSync } from 'node:sqlite';
import type { SqliteState } from '../../../lib/adapters/sqlite/open-sqlite-state.ts';
import type { Target } from '../../../lib/core/target.ts';
import type { DelayQueue, FifoQueue } from '../../../lib/ports/queue.ts';
import type { CommitRecord, LeaseHold } from '../../../lib/ports/state-store.ts';
import { takeLease } from '../../support/take-lease.ts';

/** The time of the workload. Its clock stands still. */
export const NOW = 1_780_000_000_000;

const KIND = 'secretcontracts.evenkeel.dev';
const CLUSTER = 'local';
const target: Target = { cluster: CLUSTER, kind: KIND, uid: 'u-1', namespace: 'default', name: 'web' };
const other: Target = { ...target, uid: 'u-2', name: 'api' };
const hold: LeaseHold = { target, owner: 'worker-1', epoch: NOW + 1 };
const poll = { cluster: CLUSTER, group: 't4', kind: 'configmaps', namespace: 'default', name: 'settings' };
const marker = { cluster: CLUSTER, group: 't4', kind: 'secrets', namespace: 'default', name: 'shared' };
const EVENTS = 'evenkeel-local-events';
const WAKES = 'evenkeel-local-wakes';
const NO_WAIT = { maxMessages: 10, waitSeconds: 0, visibilitySeconds: 60 };

function lease(of: Target, owner = 'worker-1') {
  const times = { nowMs: NOW, leaseUntilMs: NOW + 30_000, latestUntilMs: NOW + 34_000 };
  return { target: of, owner, attempt: 'attempt-1', ...times };
}

function record(overrides: Partial<CommitRecord> = {}): CommitRecord {
  return {
    incarnation: 1,
    observedVersion: 7,
    failures: 0,
    bucket: { tokens: 30, atMs: NOW },
    values: {},
    dueAtMs: NOW + 60_000,
    dueSetAtMs: NOW,
    wakeSent: false,
    versions: { 'secrets/default/a': 7 },
    edges: ['secrets/default/a'],
    reconcilerVersion: '1',
    lastOutcome: { type: 'settled', reason: 'Settled', message: '', atMs: NOW, durationMs: 12, cause: 'updated' },
    ...overrides,
  };
}

function message(messageGroupId: string, body: string) {
  return { messageGroupId, body, deduplicationId: `${messageGroupId}:${body}` };
}

interface Queues {
  readonly events: FifoQueue;
  readonly wakes: DelayQueue;
}

export interface Step {
  /** The write must be on the disk when it resolves. */
  readonly durable?: boolean;
  run(state: SqliteState, queues: () => Promise<Queues>): Promise<unknown>;
}

const edge = { cluster: CLUSTER, key: 'secrets/default/a', reader: target, epoch: NOW + 1 };

/**
 * The operations of an installation on its state, one transaction for each step, with a clock that stands still. The
 * handles of messages are known in advance: the id, and which receive it was.
 */
export const STEPS: readonly Step[] = [
  { run: async (state) => state.fifoQueue(EVENTS) },
  { run: async (state) => state.delayQueue(WAKES) },
  { run: async ({ store }) => store.pinClusterUid(CLUSTER, 'uid-1'), durable: true },
  { run: async ({ store }) => store.holdRelay(CLUSTER, 'relay-1', NOW, NOW + 30_000) },
  { run: async ({ store }) => store.raiseRestoreCounter(CLUSTER, NOW + 1, 0), durable: true },
  { run: async ({ store }) => store.recordRestoreCounter(CLUSTER, NOW + 1, 1) },
  { run: async ({ store }) => store.claimCheckpoint(CLUSTER, KIND, NOW + 1) },
  {
    run: async (_state, queues) =>
      (await queues()).events.send([message('g', '1'), message('h', '1'), message('g', '2'), message('g', '2')]),
  },
  {
    run: async ({ store }) =>
      store.saveCheckpoint(CLUSTER, KIND, NOW + 1, { incarnation: 1, resourceVersion: '7', heartbeatMs: NOW }),
  },
  { run: async (_state, queues) => (await queues()).events.receive({ ...NO_WAIT, maxMessages: 2 }) },
  { run: async ({ store }) => takeLease(store, lease(target)) },
  { run: async ({ store }) => store.putEdge(edge) },
  { run: async ({ store }) => store.saveValues(hold, { step: 1 }), durable: true },
  { run: async ({ store }) => store.markHeld(hold, 'any', NOW + 35_000, NOW) },
  { run: async ({ store }) => store.renewAttempt(hold, 'attempt-2') },
  { run: async ({ store }) => store.commit(hold, record({ values: { step: 1 } })) },
  { run: async (_state, queues) => (await queues()).wakes.sendDelayed({ body: 'wake', delaySeconds: 0 }) },
  { run: async (_state, queues) => (await queues()).events.delete(['1:1', '3:1']) },
  { run: async (_state, queues) => (await queues()).events.receive(NO_WAIT) },
  {
    run: async (_state, queues) =>
      (await queues()).events.sendDead({ body: '1', messageGroupId: 'h', reason: 'NotJson', messageId: 'fifo-2' }),
  },
  { run: async (_state, queues) => (await queues()).events.changeVisibility(['2:1'], 0) },
  { run: async (_state, queues) => (await queues()).wakes.receive(NO_WAIT) },
  { run: async (_state, queues) => (await queues()).wakes.delete(['1:1']) },
  { run: async ({ store }) => store.touchPoll(poll, NOW, 60_000) },
  {
    run: async ({ store }) =>
      store.recordChange(marker, { incarnation: 1, version: 7, seen: { resourceVersion: '7' } }, NOW),
  },
  { run: async ({ store }) => store.countFailure('fifo-2', NOW) },
  { run: async ({ store }) => store.pushDue(target, { dueAtMs: NOW + 60_000, epoch: NOW + 1 }, NOW + 180_000, NOW) },
  { run: async ({ store }) => takeLease(store, lease(target)) },
  {
    run: async ({ store }) => store.commit({ ...hold, epoch: NOW + 2 }, record({ values: { step: 2 } })),
    durable: true,
  },
  { run: async ({ store }) => store.startIncarnation(CLUSTER, 1), durable: true },
  { run: async ({ store }) => store.setPaused(CLUSTER, true), durable: true },
  { run: async ({ store }) => takeLease(store, lease(other)) },
  { run: async ({ store }) => store.forget({ ...hold, target: other }, NOW + 3_600_000) },
  { run: async ({ store }) => store.deleteEdge(edge) },
];

/** Opens the queues once, at the first step that needs them. */
export function queuesOf(state: SqliteState): () => Promise<Queues> {
  let queues: Promise<Queues> | undefined;
  const open = async () => ({
    events: await state.fifoQueue(EVENTS),
    wakes: await state.delayQueue(WAKES),
  });
  return () => {
    queues ??= open();
    return queues;
  };
}

const TABLES = [
  'meta',
  'queue',
  'item',
  'fifo_group',
  'fifo_message',
  'deduplication',
  'delayed_message',
  'dead_letter',
];

/** Everything that the file holds, as text. */
export function dump(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const check = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
    if (check !== 'ok') throw new Error(`the file is damaged: ${check}`);
    const tables = TABLES.map((table) => [table, database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]);
    return JSON.stringify(tables, null, 1);
  } finally {
    database.close();
  }
}
