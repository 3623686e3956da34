import { deploymentSettingsParameter } from '../lib/deployment/cloud/cloud-names.ts';
import { encodeCloudSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import type { Resources } from './cloudformation.ts';
import type { Stage } from './stage.ts';

/** The deployed settings, so that commands on another machine know the groups and limits without the stage's file. */
export function settingsParameter({ name, written }: Stage): Resources {
  return {
    Settings: {
      Type: 'AWS::SSM::Parameter',
      Properties: {
        Name: deploymentSettingsParameter(name),
        Type: 'String',
        Description: 'Settings of this stage as deployed; only its deployment writes them',
        Value: encodeCloudSettings(written),
      },
    },
  };
}
