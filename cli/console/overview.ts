import { isBreakerOpen } from '../../lib/engine/breaker/is-breaker-open.ts';
import type { ClusterState } from '../../lib/ports/state-store.ts';
import { rfc3339 } from '../inspection/explanation.ts';
import type { Inspection } from '../inspection/inspection.ts';
import type { ClusterSummary, Overview } from './api-types.ts';
import type { ConsoleReads } from './console-reads.ts';

export async function viewOverview({ source, inventory, queues, frame }: ConsoleReads): Promise<Overview> {
  const { inspection } = source;
  const [{ value, nextMs }, { value: figures }, state] = await Promise.all([
    inventory.latest(),
    queues.latest(),
    inspection.store.readCluster(inspection.cluster),
  ]);
  return { ...frame(nextMs), ...value.tallied, ...figures, clusterState: clusterSummary(state, inspection) };
}

export function clusterSummary(state: ClusterState, { clock, settings }: Inspection): ClusterSummary {
  const { pauseNote, relay, breakerOpenUntilMs } = state;
  return {
    incarnation: state.incarnation,
    paused: state.paused || settings.paused,
    ...(pauseNote !== undefined && { pauseNote: { by: pauseNote.by, at: rfc3339(pauseNote.atMs) } }),
    ...(breakerOpenUntilMs !== undefined &&
      isBreakerOpen(breakerOpenUntilMs, clock.now()) && { unreachableUntil: rfc3339(breakerOpenUntilMs) }),
    ...(relay !== undefined && { relay: { owner: relay.owner, until: rfc3339(relay.untilMs) } }),
  };
}
