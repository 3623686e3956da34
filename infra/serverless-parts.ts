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

/** What serverless.yml includes, by stage name. */
export const serverlessParts = {
  region: (name: string) => stageNamed(name).cloud.region,
  logRetentionDays: (name: string) => stageNamed(name).cloud.logRetentionDays,
  deletionProtection: (name: string) => stageNamed(name).cloud.deletionProtection,
  tags: (name: string) => ({ ...stageNamed(name).cloud.tags, 'evenkeel:stage': name }),
  functions: (name: string) => functions(stageNamed(name), packageVersion()),
  resources: (name: string): { Resources: Resources; Outputs: ReturnType<typeof outputs> } => {
    const stage = stageNamed(name);
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

function stageNamed(name: string): Stage {
  return loadStage(name, root);
}
