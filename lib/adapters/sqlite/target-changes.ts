import { isCovered } from '../../core/cover.ts';
import type { ObjectName } from '../../core/kube-object.ts';
import type { DirtyMark } from '../../core/observation.ts';
import type { AcquireRequest, CommitRecord, LeaseHold, TargetState, TargetStore } from '../../ports/state-store.ts';

/*
 * The result of each request for a target, as pure functions. Each one returns the new state, or undefined when the
 * request is refused. A request of a holder is refused if its owner or epoch is not in the state.
 */

/** @param forgottenEpoch the epoch with which the target was forgotten, if it was. */
export function acquire(
  before: TargetState | undefined,
  forgottenEpoch: number | undefined,
  request: AcquireRequest,
): TargetState | undefined {
  if (before !== undefined && (leaseRuns(before, request) || isCovered(request.cover, before))) return undefined;
  if (forgottenEpoch !== undefined && forgottenEpoch !== request.forgottenEpoch) return undefined;
  const firstEpoch = forgottenEpoch ?? request.nowMs;
  return {
    ...(before ?? NEW),
    target: before === undefined || request.ownAddress === true ? { ...request.target } : before.target,
    lease: { owner: request.owner, attempt: request.attempt, untilMs: request.leaseUntilMs },
    epoch: (before?.epoch ?? firstEpoch) + 1,
    committedEpoch: before?.committedEpoch ?? firstEpoch,
    dirty: [],
  };
}

const NEW = { failures: 0, values: {}, wakeSent: false, versions: {}, edges: [] };

/** A lease that ends later than any lease can end counts as expired, for a request that names its epoch. */
function leaseRuns({ lease, epoch }: TargetState, { nowMs, latestUntilMs, expiredEpoch }: AcquireRequest): boolean {
  if (lease === undefined || lease.untilMs < nowMs) return false;
  return lease.untilMs <= latestUntilMs || epoch !== expiredEpoch;
}

export function isHeld(state: TargetState | undefined, { owner, epoch }: LeaseHold): state is TargetState {
  return state?.lease?.owner === owner && state.epoch === epoch;
}

export function mark(
  state: TargetState,
  dirtyMark: DirtyMark,
  due: { dueAtMs: number; dueSetAtMs: number },
  address: ObjectName | undefined,
): TargetState {
  const dirty = state.dirty.includes(dirtyMark) ? state.dirty : [...state.dirty, dirtyMark];
  const target =
    address === undefined ? state.target : { ...state.target, namespace: address.namespace, name: address.name };
  return { ...state, ...due, target, dirty };
}

export function renew(state: TargetState, attempt: string): TargetState | undefined {
  if (state.lease === undefined) return undefined;
  return { ...state, lease: { ...state.lease, attempt }, dirty: [] };
}

/** Whether the pass has seen every pending mark. */
export function isSeen({ dirty }: TargetState, dirtySeen: readonly DirtyMark[]): boolean {
  const seen = new Set(dirtySeen);
  return dirty.length === 0 || (dirty.length === seen.size && dirty.every((element) => seen.has(element)));
}

export function commit({ target, epoch }: TargetState, record: CommitRecord): TargetState {
  const { rememberedWrites = [], ...rest } = record;
  return {
    target,
    epoch,
    committedEpoch: epoch,
    dirty: [],
    ...rest,
    edges: [...new Set(record.edges)],
    ...(rememberedWrites.length > 0 && { rememberedWrites }),
  };
}

export function defer(
  { lease: _lease, ...state }: TargetState,
  record: Parameters<TargetStore['defer']>[1],
): TargetState {
  return { ...state, ...record, committedEpoch: state.epoch, dirty: [] };
}
