import { fileURLToPath } from 'node:url';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { alarms } from './alarms.ts';
import type { Resources } from './cloudformation.ts';
import { dashboard } from './dashboard.ts';
import { functions } from './functions.ts';
import { notifications } from './notifications.ts';
import { outputs } from './outputs.ts';
import { queues } from './queues.ts';
import { relayParameter } from './relay-parameter.ts';
import { roles } from './roles.ts';
import { secrets } from './secrets.ts';
import { settingsParameter } from './settings-parameter.ts';
import { loadStage, type Stage } from './stage.ts';
import { table } from './table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What serverless.yml takes before it knows the region, by stage name. */
export const stageRegion = (name: string): string => stageNamed(name).cloud.region;

/** What serverless.yml includes, by stage name and the region that is deployed to. */
export const serverlessParts = {
  logRetentionDays: (name: string) => stageNamed(name).cloud.logRetentionDays,
  deletionProtection: (name: string) => stageNamed(name).cloud.deletionProtection,
  tags: (name: string) => ({ ...stageNamed(name).cloud.tags, 'evenkeel:stage': name }),
  functions: (name: string, region: string) => functions(stageNamed(name, region), packageVersion()),
  resources: (name: string, region: string): { Resources: Resources; Outputs: ReturnType<typeof outputs> } => {
    const stage = stageNamed(name, region);
    return { Resources: resources(stage, packageVersion()), Outputs: outputs(stage) };
  },
};

/** Everything but the functions, their log groups and their triggers, which osls makes. @param version of this release. */
export function resources(stage: Stage, version: string): Resources {
  return {
    ...table(stage),
    ...queues(stage),
    ...secrets(stage),
    ...settingsParameter(stage),
    ...relayParameter(stage, version),
    ...roles(stage),
    ...notifications(stage),
    ...alarms(stage),
    ...dashboard(stage),
  };
}

function stageNamed(name: string, region?: string): Stage {
  return loadStage(name, root, region);
}
