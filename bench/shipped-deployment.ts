import { fileURLToPath } from 'node:url';
import { alarmDefinitions } from '../infra/alarms.ts';
import { scheduleMs } from '../infra/functions.ts';
import { loadStage, type Stage } from '../infra/stage.ts';
import { RELIEF_MS, SHIFT_MS } from '../lib/deployment/cloud/relay-shift.ts';
import type { IdleDeployment } from './cost-model.ts';

const shipped = loadStage('prod', fileURLToPath(new URL('..', import.meta.url)));

/** Of each kind five of the relay, of its silence and of passes some more. */
const ALL_SERIES = 24;
/** RelaySilence by the sweep, and DeadlineLag by the targets' own resync passes: what else alarms watch is only trouble. */
const ALARM_SERIES = 2;
/** stages/prod.yml advises so much for each ten clusters more. */
const MB_FOR_TEN_CLUSTERS = 64;

type Shipped = Omit<IdleDeployment, 'resources' | 'counted'>;

/** What stages/prod.yml deploys for so many clusters, as far as it costs something. */
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
