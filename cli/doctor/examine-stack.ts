import { InfrastructureError } from '../../lib/core/errors.ts';
import { tableName } from '../../lib/deployment/installation/resource-names.ts';
import type { DeployedStack, StackDifference } from '../../lib/ports/deployed-stack.ts';
import { type Diagnosis, note, ok, trouble, warning } from './diagnosis.ts';

const ABOUT = 'AWS';

/** Checks every part of a stage's stack: whether it exists, and whether it is as it was deployed. */
export async function examineStack(stage: string, stack: DeployedStack): Promise<Diagnosis[]> {
  const found = await stack.describe();
  if (found === undefined) {
    return [trouble(ABOUT, 'there is no stack of this stage', `Deploy it: npx serverless deploy --stage ${stage}.`)];
  }
  return [
    ...examineStatus(stage, found.status),
    ...(await examineParts(stage, stack)),
    ...examineRecipients(stage, found.outputs),
  ];
}

/** CloudFormation's statuses of a stack that no deployment can change until a person acts. */
const STUCK = /^(CREATE|ROLLBACK|DELETE|UPDATE|UPDATE_ROLLBACK)_FAILED$|^ROLLBACK_COMPLETE$/;

function examineStatus(stage: string, status: string): Diagnosis[] {
  if (!STUCK.test(status)) return [];
  const name = tableName(stage);
  const advice = status.startsWith('UPDATE')
    ? `Its events say why. Remove the cause, and run aws cloudformation continue-update-rollback --stack-name ${name}. Then deploy again.`
    : `Its events say why. No function of it has run. Run evenkeel repair --stage ${stage}, then aws cloudformation delete-stack --stack-name ${name}, and deploy again.`;
  return [trouble(ABOUT, `the stack is ${status}`, advice)];
}

async function examineParts(stage: string, stack: DeployedStack): Promise<Diagnosis[]> {
  let differences: StackDifference[];
  try {
    differences = await stack.differences();
  } catch (error) {
    if (!(error instanceof InfrastructureError)) throw error;
    const advice = 'It needs cloudformation:DetectStackDrift, and read access to each part.';
    return [warning(ABOUT, `the parts of the stack were not compared: ${error.message}`, advice)];
  }
  if (differences.length === 0) return [ok(ABOUT, 'every part of the stack is as it was deployed')];
  const advice = `Show what a repair does: evenkeel repair --stage ${stage} --dry-run.`;
  return differences.map((difference) =>
    isTrouble(difference)
      ? trouble(ABOUT, differenceText(difference), advice)
      : note(ABOUT, differenceText(difference), advice),
  );
}

/** Differences that are serious: a rule or an event source that is off, or a table that can be deleted. */
const VITAL = ['/State', '/Enabled', '/DeletionProtectionEnabled'];

function isTrouble({ state, fields }: StackDifference): boolean {
  return state === 'deleted' || fields.some((field) => VITAL.includes(field));
}

function differenceText({ logicalId, physicalId, type, state, fields }: StackDifference): string {
  const what = `${type} ${physicalId === '' ? logicalId : physicalId}`;
  return state === 'deleted' ? `${what} was deleted by hand` : `${what} was changed by hand: ${fields.join(', ')}`;
}

function examineRecipients(stage: string, outputs: Readonly<Record<string, string>>): Diagnosis[] {
  if (outputs.AlarmRecipient !== 'none') return [];
  const advice = `Write cloud.alarms.email or cloud.alarms.topicArn into stages/${stage}.yml, and deploy. Leave it if you subscribed to the topic by hand.`;
  return [note(ABOUT, 'the stage names no recipient for its alarms', advice)];
}
