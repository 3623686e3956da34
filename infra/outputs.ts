import { roleOutput } from '../lib/deployment/cloud/cloud-names.ts';
import { attribute, type CfnValue, ref } from './cloudformation.ts';
import { deployedFunctions } from './deployed-functions.ts';
import type { Stage } from './stage.ts';
import { TABLE } from './table.ts';

/** The values for a person's next step: the roles that clusters must permit, and the table's name in their Leases. */
export function outputs(stage: Stage): Record<string, { readonly Description: string; readonly Value: CfnValue }> {
  const roles = deployedFunctions(stage)
    .filter(({ identity }) => identity !== undefined)
    .map(({ key, roleId, identity }) => [
      roleOutput(key),
      { Description: `Identity ${identity} in clusters that authenticate by IAM`, Value: attribute(roleId, 'Arn') },
    ]);
  return {
    ...Object.fromEntries(roles),
    ...(stage.cloud.relay === 'container' && {
      RelayPolicyArn: { Description: 'For the role of the pod with the relay', Value: ref('RelayPolicy') },
    }),
    AlarmRecipient: { Description: 'Whom the alarms tell', Value: recipient(stage) },
    Deployment: { Description: 'Names this deployment in the Leases of clusters', Value: attribute(TABLE, 'Arn') },
  };
}

/** The output does not contain the address, because many people may read a stack. */
function recipient({ cloud }: Stage): string {
  if (cloud.alarms.topicArn !== undefined) return 'a topic of your own';
  return cloud.alarms.email === undefined ? 'none' : 'an address';
}
