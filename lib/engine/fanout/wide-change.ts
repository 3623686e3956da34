import type { ChangedObject, SeenVersion } from '../../core/changed-object.ts';
import { EVENT_VERSION, type FanoutRequest, type FanoutStep } from '../../core/event.ts';
import { versionNumber } from '../../core/observation.ts';
import type { FanoutKey, FanoutMarker, FanoutStore, Observation } from '../../ports/fanout-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** A change with more readers in a controller group than get an event each. */
export interface WideChange {
  readonly key: FanoutKey;
  readonly observation: Observation;
}

/** The change of an object, or of a list of a namespace, in the form in which a watch or a list showed it. */
export function wideChange(cluster: string, group: string, incarnation: number, changed: ChangedObject): WideChange {
  const { kind, namespace, name, ...seen } = changed;
  // An object that a list does not have was absent at the version of the list, and is ordered by that version.
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

/** @param bulk as in `recordWideChanges`. */
export function fanoutRequest(key: FanoutKey, atMs: number, step: FanoutStep, bulk = false): FanoutRequest {
  return { v: EVENT_VERSION, ...key, cause: 'fanout', at: atMs, step, ...(bulk && { bulk }) };
}

export function fanoutKeyOf({ cluster, group, kind, namespace, name }: FanoutRequest): FanoutKey {
  return { cluster, group, kind, namespace, name };
}

/**
 * Writes the marker of each change, and returns the messages that request a round for each one. The caller sends them
 * before the change counts as handled. Of several changes of an object only the newest matters, so the last one is
 * used.
 * The message is sent even if the marker was not new: only the message starts a round, and the process that wrote the
 * marker before may have died before it sent its message. The queue drops duplicates by the id, which names the round.
 * @param bulk whether lists found the changes: then their events use the `resync` lane.
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
