import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudFormationStack } from '../lib/adapters/aws/cloudformation-stack.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { tableName } from '../lib/deployment/installation/resource-names.ts';
import type { DeployedStack } from '../lib/ports/deployed-stack.ts';
import { cloudRegion } from './wiring-operator.ts';

/** The stack of a stage, with the usual AWS settings. serverless.yml gives the stack the same name as the table. */
export function openStack(stage: string): { readonly stack: DeployedStack } & Disposable {
  const client = new CloudFormationClient({ region: cloudRegion() });
  const entropy = new SystemEntropy();
  const newName = () => `evenkeel-repair-${entropy.id()}`;
  const stack = new CloudFormationStack({ client, stackName: tableName(stage), clock: new SystemClock(), newName });
  return { stack, [Symbol.dispose]: () => client.destroy() };
}
