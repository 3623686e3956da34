import { deploymentSettingsParameter } from '../lib/deployment/cloud/cloud-names.ts';
import { encodeCloudSettings } from '../lib/deployment/cloud/cloud-settings.ts';
import type { Resources } from './cloudformation.ts';
import type { Stage } from './stage.ts';

/** What was deployed, so that commands outside the deployment know its groups and limits without the stage's file. */
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
