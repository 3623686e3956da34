import { tableName } from '../lib/deployment/installation/resource-names.ts';
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
import type { Stage } from './stage.ts';
import { table } from './table.ts';

/** The parts that are added to serverless.yml for a stage, in the region of the stage. */
export function serverlessParts(stage: Stage) {
  const version = packageVersion();
  const { cloud } = stage;
  const tags = { ...cloud.tags, 'evenkeel:stage': stage.name };
  return {
    provider: {
      region: cloud.region,
      // Doctor and repair find the stack by the stage, with any name of an author's service.
      stackName: tableName(stage.name),
      runtime: 'nodejs24.x',
      architecture: 'arm64',
      // A function has no versions: its code is replaced, and both the old and the new code handle events during a
      // deployment.
      versionFunctions: false,
      logRetentionInDays: cloud.logRetentionDays,
      stackTags: tags,
      tags,
      // `serverless remove` then fails before it has removed anything.
      deletionProtection: cloud.deletionProtection,
      deploymentBucket: { blockPublicAccess: true, maxPreviousDeploymentArtifacts: 5 },
    },
    functions: functions(stage, version),
    resources: { Resources: resources(stage, version), Outputs: outputs(stage) },
  };
}

/**
 * Everything except the functions, their log groups and their triggers, which osls creates.
 * @param version of this release.
 */
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
