import { fileURLToPath } from 'node:url';
import { alarmDefinitions } from '../infra/alarms.ts';
import { scheduleMs } from '../infra/functions.ts';
import { loadStage, type Stage } from '../infra/stage.ts';
import { RELIEF_MS, SHIFT_MS } from '../lib/deployment/cloud/relay-shift.ts';
import type { IdleDeployment } from './cost-model.ts';

const shipped = loadStage('prod', fileURLToPath(new URL('..', import.meta.url)));

/** Five of each kind for the relay; some more for its silence and for passes. */
const ALL_SERIES = 24;
/**
 * RelaySilence by the sweep, and DeadlineLag by the targets' own resync passes. All other metrics of alarms are written
 * only in a fault.
 */
const ALARM_SERIES = 2;
/** stages/prod.yml recommends this much memory for each ten more clusters. */
const MB_FOR_TEN_CLUSTERS = 64;

type Shipped = Omit<IdleDeployment, 'resources' | 'counted'>;

/** The parts of stages/prod.yml that cost something, for a number of clusters. */
export function shippedDeployment(clusters: number, relay: 'function' | 'container'): Shipped {
  const stage: Stage = { ...shipped, cloud: { ...shipped.cloud, relay } };
  const { intervals } = stage.settings;
  const relayMb = stage.cloud.memory.relay + MB_FOR_TEN_CLUSTERS * Math.floor((clusters - 1) / 10);
  return {
    clusters,
    targetResyncHours: intervals.targetResyncMs / 3_600_000,
    resyncMinutes: intervals.resyncMs / 60_000,
    leaseMinutes: scheduleMs(stage, 'resync') / 60_000,
    alarms: alarmDefinitions(stage).length,
    series: stage.cloud.metrics === 'all' ? ALL_SERIES : ALARM_SERIES,
    relayGb: relay === 'container' ? undefined : relayMb / 1_024,
    reliefShare: RELIEF_MS / SHIFT_MS,
  };
}
