import type { KubeObject } from '../../core/kube-object.ts';
import { type EdgeKey, type ObjectKey, versionNumber } from '../../core/observation.ts';
import { addToHistory, type PastPass } from '../../core/pass-history.ts';
import type { Bucket } from '../../core/rate-limit.ts';
import type { CommitRecord, TargetState } from '../../ports/state-store.ts';
import type { PassContext } from '../context/pass-context.ts';
import type { Decision } from './decide.ts';

/**
 * The table's item can hold 400 KB. A version that is left out never counts as observed. An edge that is left out is
 * written again by the next pass; when it is not used any more, it costs one needless pass.
 */
const MAX_RECORDED_VERSIONS = 1_000;
const MAX_VERSION_KEYS_LENGTH = 140_000;
const MAX_EDGE_KEYS_LENGTH = 100_000;

export interface RecordInput {
  readonly decision: Decision;
  readonly context: PassContext;
  readonly last: TargetState;
  readonly incarnation: number;
  readonly bucket: Bucket;
  readonly reconcilerVersion: string;
  readonly nowMs: number;
  /** This pass, for the object's history. */
  readonly pastPass: PastPass;
}

/** The record of a finished attempt for the commit, and all edges that are in use. */
export function buildRecord(input: RecordInput): { record: CommitRecord; edgesInUse: readonly EdgeKey[] } {
  const { decision, context, incarnation, nowMs } = input;
  const { dueAtMs, failures, wakeSent, lastOutcome } = decision;
  const observed = observedOf(context.observed);
  const conditionOwners = context.conditions.record;
  const rememberedWrites = context.rememberedWrites();
  const seen = keepUnread(input, context.reads.versions(), [...context.reads.edges]);
  const record: CommitRecord = {
    incarnation,
    ...observed,
    failures,
    bucket: input.bucket,
    values: context.values,
    ...(dueAtMs === undefined ? {} : { dueAtMs, dueSetAtMs: nowMs }),
    wakeSent,
    versions: cappedVersions(seen.versions),
    edges: withinLength(seen.edges.sort(), MAX_EDGE_KEYS_LENGTH),
    ...(rememberedWrites.length > 0 && { rememberedWrites }),
    reconcilerVersion: input.reconcilerVersion,
    lastOutcome,
    pastPasses: addToHistory(input.last.pastPasses, input.pastPass),
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
  return { record, edgesInUse: seen.edges };
}

/**
 * A pass that failed may not have reached everything that the last one read. The edges of the rest stay, with the
 * versions that the last pass saw, until a successful pass replaces them.
 */
function keepUnread(
  { decision, last, incarnation }: RecordInput,
  versions: Record<ObjectKey, number>,
  edges: EdgeKey[],
): { versions: Record<ObjectKey, number>; edges: EdgeKey[] } {
  if (!decision.keepsUnread) return { versions, edges };
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

/** The first keys that together have at most `length` characters. Keys are ASCII. */
function withinLength<Key extends string>(keys: readonly Key[], length: number): readonly Key[] {
  let left = length;
  const end = keys.findIndex((key) => {
    left -= key.length;
    return left < 0;
  });
  return end < 0 ? keys : keys.slice(0, end);
}

/** The versions that this attempt records as observed of the target itself. */
function observedOf(object: KubeObject | undefined): { observedVersion?: number; observedGeneration?: number } {
  if (object === undefined) return {};
  const version = versionNumber(object.metadata.resourceVersion);
  const generation = object.metadata.generation;
  return {
    ...(version === undefined ? {} : { observedVersion: version }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
