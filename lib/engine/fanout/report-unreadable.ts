import type { KindId } from '../../core/resource-type.ts';
import type { UnreadableObject } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { TargetState } from '../../ports/state-store.ts';

/** Logs an object of a list or a watch that was skipped because it cannot be read. */
export function reportUnreadable(
  { cluster, logger, metrics }: { readonly cluster: string; readonly logger: Logger; readonly metrics: Metrics },
  kind: KindId,
  { namespace, name, uid, why }: UnreadableObject,
  /** The version of the list, or the last version that the watch showed before the object. */
  at: string,
): void {
  metrics.record('Unreadable', 1, { Cluster: cluster, Kind: kind });
  logger.warn(`an object cannot be read and is skipped: ${why}`, { kind, namespace, name, uid, at });
}

/** Names a target whose item in the table cannot be read. */
export function reportUnreadableItem(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  { target, unreadable }: TargetState,
): void {
  const { cluster, kind, namespace, name, uid } = target;
  metrics.record('Unreadable', 1, { Cluster: cluster, Kind: kind });
  logger.warn(`an object is skipped: ${unreadable}`, { kind, namespace, name, uid });
}
