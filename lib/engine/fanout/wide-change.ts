import type { ChangedObject, SeenVersion } from '../../core/changed-object.ts';
import { EVENT_VERSION, type FanoutRequest, type FanoutStep } from '../../core/event.ts';
import { versionNumber } from '../../core/observation.ts';
import type { FanoutKey, FanoutMarker, FanoutStore, Observation } from '../../ports/fanout-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** A change that more objects of a controller group read than are sent an event each. */
export interface WideChange {
  readonly key: FanoutKey;
  readonly observation: Observation;
}

/** The change of an object, or of a list of a namespace, as a watch or a list showed it. */
export function wideChange(cluster: string, group: string, incarnation: number, changed: ChangedObject): WideChange {
  const { kind, namespace, name, ...seen } = changed;
  // What a list lacks was absent at the list's version, and is ordered by that.
  const version = versionNumber(seen.absentAt ?? seen.resourceVersion);
  return {
    key: { cluster, group, kind, namespace, name },
    observation: { incarnation, seen, ...(version !== undefined && { version }) },
  };
}

export interface RecordDependencies {
  readonly store: Pick<FanoutStore, 'recordChange'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** @param bulk as of `recordWideChanges`. */
export function fanoutRequest(key: FanoutKey, atMs: number, step: FanoutStep, bulk = false): FanoutRequest {
  return { v: EVENT_VERSION, ...key, cause: 'fanout', at: atMs, step, ...(bulk && { bulk }) };
}

export function fanoutKeyOf({ cluster, group, kind, namespace, name }: FanoutRequest): FanoutKey {
  return { cluster, group, kind, namespace, name };
}

/**
 * Writes the marker of each change, and returns the messages that ask for a round of each: to be sent before the change
 * counts as handled. Of several changes of an object the newest is enough, so the last one is taken.
 *
 * The message is sent whether or not the marker was new: it is the one thing that makes a round happen, and the
 * process that wrote the marker before may have died before its message was sent. The queue drops duplicates by the id,
 * which names the round.
 *
 * @param bulk the changes were found by lists: their events go by the `resync` lane.
 * @throws InfrastructureError
 */
export async function recordWideChanges(
  deps: RecordDependencies,
  changes: readonly WideChange[],
  nowMs: number,
  bulk: boolean,
): Promise<FanoutRequest[]> {
  const newest = new Map(changes.map((change) => [Object.values(change.key).join(' '), change]));
  const writes = await Promise.allSettled(
    [...newest.values()].map(async ({ key, observation }): Promise<FanoutRequest[]> => {
      const marker = await deps.store.recordChange(key, observation, nowMs);
      if (marker === undefined) return [];
      reportSpoilt(deps, marker);
      const { incarnation, round } = marker;
      return [fanoutRequest(key, nowMs, { type: 'begin', incarnation, round }, bulk)];
    }),
  );
  return writes.flatMap((write) => {
    if (write.status === 'rejected') throw write.reason;
    return write.value;
  });
}

function reportSpoilt({ logger, metrics }: RecordDependencies, { key, unreadable }: FanoutMarker): void {
  if (unreadable === undefined) return;
  metrics.record('Unreadable', 1, { Cluster: key.cluster, Kind: key.kind });
  logger.warn(`a marker of a change with many readers was begun again: ${unreadable}`, { ...key });
}

export function changedOf({ kind, namespace, name }: FanoutKey, seen: SeenVersion): ChangedObject {
  return { kind, namespace, name, ...seen };
}
