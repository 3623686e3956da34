import { fileURLToPath } from 'node:url';
import { alarmDefinitions } from '../infra/alarms.ts';
import { loadStage } from '../infra/stage.ts';
import { TABLE_SHARDS } from '../lib/deployment/installation/resource-names.ts';
import type { IdleDeployment } from './cost-model.ts';

const stage = loadStage('prod', fileURLToPath(new URL('..', import.meta.url)));

/** What stages/prod.yml deploys, as far as it costs something. */
export const SHIPPED: Pick<IdleDeployment, 'shards' | 'kinds' | 'alarms' | 'series' | 'relayGb'> = {
  shards: TABLE_SHARDS,
  kinds: 3,
  alarms: alarmDefinitions(stage).length,
  // Of the relay five for each kind, of its silence and of passes some more.
  series: 24,
  relayGb: stage.cloud.memory.relay / 1_024,
};
