import type { RequestDetail } from '../../../lib/adapters/request-observer.ts';
import { shardOf } from '../../../lib/core/hash.ts';
import type { Target } from '../../../lib/core/target.ts';
import type { AcquireRequest, CommitRecord, DueHint, LeaseHold, StateStore } from '../../../lib/ports/state-store.ts';
import { takeLease } from '../../support/take-lease.ts';

export interface CountedRequest extends RequestDetail {
  readonly operation: string;
}

/** One adapter under test. Every test uses its own clusters and targets, so that tests can share a store. */
export interface StateStoreSubject {
  readonly store: StateStore;
  /** Every request so far, in order. */
  readonly requests: readonly CountedRequest[];
  /** True when the table itself returns the item that refused an acquire; otherwise the adapter reads it. */
  readonly returnsRefusing: boolean;
  close(): Promise<void>;
}

export type GetSubject = () => StateStoreSubject;

export const KIND = 'secretcontracts.evenkeel.dev';
/** The time at which tests begin, by the callers' clocks. */
export const NOW = 1_750_000_000_000;
/** Until when the epoch of a forgotten target is kept: longer than any test runs, also by the machine's clock. */
export const KEEP_UNTIL = 4_102_444_800_000;

let fresh = 0;

export function freshCluster(): string {
  fresh += 1;
  return `cluster-${fresh}`;
}

export function freshTarget(overrides: Partial<Target> = {}): Target {
  fresh += 1;
  const uid = `3f0c7a52-0000-4000-8000-${String(fresh).padStart(12, '0')}`;
  return { cluster: `cluster-${fresh}`, kind: KIND, uid, namespace: 'default', name: 'web', ...overrides };
}

/** A unique UID of a target in this shard. */
export function uidInShard(shard: number, shards: number): string {
  for (;;) {
    const { uid } = freshTarget();
    if (shardOf(uid, shards) === shard) return uid;
  }
}

export function acquireRequest(target: Target, overrides: Partial<AcquireRequest> = {}): AcquireRequest {
  const { nowMs = NOW } = overrides;
  return {
    target,
    owner: 'worker-1',
    attempt: 'attempt-1',
    nowMs,
    leaseUntilMs: NOW + 30_000,
    latestUntilMs: nowMs + 34_000,
    ...overrides,
  };
}

/** Acquires a free target and returns the hold. */
export async function acquired(
  store: StateStore,
  target: Target,
  overrides: Partial<AcquireRequest> = {},
): Promise<LeaseHold> {
  const request = acquireRequest(target, overrides);
  const state = await takeLease(store, request);
  if (state === undefined) throw new Error('the target was not free');
  return { target, owner: request.owner, epoch: state.epoch };
}

export function commitRecord(overrides: Partial<CommitRecord> = {}): CommitRecord {
  return {
    incarnation: 1,
    failures: 0,
    bucket: { tokens: 30, atMs: NOW },
    values: {},
    wakeSent: false,
    versions: {},
    edges: [],
    reconcilerVersion: '1',
    lastOutcome: { type: 'settled', reason: 'Settled', message: '', atMs: NOW, durationMs: 12, cause: 'updated' },
    ...overrides,
  };
}

/** A target whose last pass committed this record. Its lease is free again. */
export async function committed(
  store: StateStore,
  target: Target,
  overrides: Partial<CommitRecord> = {},
): Promise<LeaseHold> {
  const hold = await acquired(store, target);
  if (!(await store.commit(hold, commitRecord(overrides)))) throw new Error('the commit was refused');
  return hold;
}

/** All due hints of a cluster up to a time, over all shards and pages; in order within each shard. */
export async function dueHints(store: StateStore, cluster: string, untilMs: number): Promise<DueHint[]> {
  const hints: DueHint[] = [];
  for (let shard = 0; shard < store.shards; shard += 1) {
    for await (const hint of allPages((after) => store.due(shard, untilMs, after))) hints.push(hint);
  }
  return hints.filter((hint) => (hint.type === 'target' ? hint.target.cluster : hint.poll.cluster) === cluster);
}

export async function* allPages<Item>(
  page: (after?: string) => Promise<{ readonly items: readonly Item[]; readonly next?: string }>,
): AsyncIterable<Item> {
  let next: string | undefined;
  do {
    const { items, ...rest } = await page(next);
    yield* items;
    next = rest.next;
  } while (next !== undefined);
}

/** Runs `work` for each item, some at a time. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
