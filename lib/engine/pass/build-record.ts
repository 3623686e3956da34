import type { SkinnyEvent } from '../../core/event.ts';
import type { EdgeKey, ObjectKey } from '../../core/observation.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Bucket } from '../../core/rate-limit.ts';
import { cutToCodePoints } from '../../core/text.ts';
import type { CommitRecord, LastOutcome, TargetState } from '../../ports/state-store.ts';
import type { PassContext } from '../context/pass-context.ts';
import { type AttemptResult, observedOf } from './attempt.ts';
import { describeFailure } from './failure.ts';
import type { NextDeadline } from './next-deadline.ts';

/**
 * The table's item holds 400 KB. A version that is left out is never covered; an edge that is left out is written again
 * by the next pass, and once nobody uses it, it costs one needless pass.
 */
const MAX_RECORDED_VERSIONS = 1_000;
const MAX_VERSION_KEYS_LENGTH = 140_000;
const MAX_EDGE_KEYS_LENGTH = 100_000;
const MAX_MESSAGE_CODE_POINTS = 512;

/** SQS delays a message by 15 minutes at most: a deadline within that gets its wake at the commit. */
export const NEAR_DEADLINE_MS = 15 * 60_000;

export interface RecordInput {
  readonly result: Extract<AttemptResult, { type: 'ran' }>;
  readonly context: PassContext;
  readonly last: TargetState;
  readonly incarnation: number;
  readonly deadline: NextDeadline;
  readonly bucket: Bucket;
  readonly reconcilerVersion: string;
  readonly event: SkinnyEvent;
  readonly durationMs: number;
  readonly nowMs: number;
}

/** What a finished attempt commits, and the edges that are in use, all of them. */
export function buildRecord(input: RecordInput): { record: CommitRecord; edgesInUse: readonly EdgeKey[] } {
  const { result, context, last, incarnation, deadline, nowMs } = input;
  const observed = observedOf(context.observed);
  const conditionOwners = context.conditions.record;
  const rememberedWrites = context.rememberedWrites();
  const seen = keepUnread(input, context.reads.versions(), [...context.reads.edges]);
  const record: CommitRecord = {
    incarnation,
    ...observed,
    failures: deadline.failures,
    bucket: input.bucket,
    values: context.values,
    ...(deadline.dueAtMs === undefined ? {} : { dueAtMs: deadline.dueAtMs, dueSetAtMs: nowMs }),
    wakeSent: deadline.dueAtMs !== undefined && wakeWillBeSent(last, input.event, deadline.dueAtMs, nowMs),
    versions: cappedVersions(seen.versions),
    edges: withinLength(seen.edges.sort(), MAX_EDGE_KEYS_LENGTH),
    ...(rememberedWrites.length > 0 && { rememberedWrites }),
    reconcilerVersion: input.reconcilerVersion,
    lastOutcome: lastOutcome(result, input.event.cause, input.durationMs, nowMs),
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
  return { record, edgesInUse: seen.edges };
}

/** Whether a pass that was woken by `event` sends a wake for the deadline that it leaves. */
export function needsWake(last: TargetState, event: SkinnyEvent, dueAtMs: number, nowMs: number): boolean {
  return !isWakeUnderWay(last, event, dueAtMs) && dueAtMs - nowMs <= NEAR_DEADLINE_MS;
}

function wakeWillBeSent(last: TargetState, event: SkinnyEvent, dueAtMs: number, nowMs: number): boolean {
  return isWakeUnderWay(last, event, dueAtMs) ? last.wakeSent : dueAtMs - nowMs <= NEAR_DEADLINE_MS;
}

/**
 * A deadline that is kept as it was has had its wake, or will get it from the sweep; except the one that woke this very
 * pass, and still lies ahead by the clock of this machine: its wake is used up.
 */
function isWakeUnderWay(last: TargetState, event: SkinnyEvent, dueAtMs: number): boolean {
  return dueAtMs === last.dueAtMs && !(event.cause === 'due' && event.dueAt === dueAtMs);
}

/**
 * A pass that failed may not have reached everything that the last one read: those edges stay, with the versions the last
 * pass saw, until a pass that ends well says what it needs.
 */
function keepUnread(
  { result, last, incarnation }: RecordInput,
  versions: Record<ObjectKey, number>,
  edges: EdgeKey[],
): { versions: Record<ObjectKey, number>; edges: EdgeKey[] } {
  if (result.outcome.type !== 'retry') return { versions, edges };
  const readNow = new Set<string>(edges);
  const sameIncarnation = last.incarnation === incarnation;
  const kept = Object.entries(sameIncarnation ? last.versions : {}).filter(
    ([key]) => !readNow.has(key) && !(key in versions),
  );
  return { versions: { ...Object.fromEntries(kept), ...versions }, edges: [...new Set([...last.edges, ...edges])] };
}

function cappedVersions(versions: Record<ObjectKey, number>): Record<ObjectKey, number> {
  const keys = Object.keys(versions);
  const kept = withinLength(keys.slice(0, MAX_RECORDED_VERSIONS), MAX_VERSION_KEYS_LENGTH);
  return kept.length === keys.length ? versions : Object.fromEntries(kept.map((key) => [key, versions[key] ?? 0]));
}

/** As many of the keys, from the first on, as are at most `length` characters together. Keys are ASCII. */
function withinLength<Key extends string>(keys: readonly Key[], length: number): readonly Key[] {
  let left = length;
  const end = keys.findIndex((key) => {
    left -= key.length;
    return left < 0;
  });
  return end < 0 ? keys : keys.slice(0, end);
}

function lastOutcome(
  { mode, outcome, waitsFor }: Extract<AttemptResult, { type: 'ran' }>,
  cause: string,
  durationMs: number,
  nowMs: number,
): LastOutcome {
  const { reason, message } = waitsFor ?? describeOutcome(outcome);
  const isPlain = mode === 'reconciled' || mode === 'finalizing';
  return {
    type: isPlain ? outcome.type : mode,
    reason,
    message,
    atMs: nowMs,
    durationMs,
    cause,
    ...(waitsFor !== undefined && { terminating: true }),
  };
}

export function describeOutcome(outcome: Outcome): { reason: string; message: string } {
  switch (outcome.type) {
    case 'settled':
    case 'checkAt':
      return { reason: '', message: '' };
    case 'retry': {
      const { reason, message } = describeFailure(outcome.error);
      return { reason, message: cutToCodePoints(message, MAX_MESSAGE_CODE_POINTS) };
    }
    case 'terminal':
      return { reason: outcome.reason, message: cutToCodePoints(outcome.message, MAX_MESSAGE_CODE_POINTS) };
  }
}
