import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { CloudFormationStack } from '../../../lib/adapters/aws/cloudformation-stack.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

type Answer = object | Error | (() => object | Error);

/** A scripted CloudFormation: the responses to each operation in order. The last one is repeated. */
function setUp(script: Readonly<Record<string, readonly Answer[]>>) {
  const asked: { readonly operation: string; readonly input: Record<string, unknown> }[] = [];
  const client = {
    send: async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
      const operation = command.constructor.name.replace('Command', '');
      asked.push({ operation, input: command.input });
      const answers = script[operation] ?? [{}];
      const turn = asked.filter((one) => one.operation === operation).length - 1;
      const answer = answers[Math.min(turn, answers.length - 1)] ?? {};
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as CloudFormationClient;
  const clock = new ManualClock();
  const stack = new CloudFormationStack({ client, stackName: 'evenkeel-prod', clock, newName: () => 'repair-1' });
  return { stack, clock, asked, operations: () => asked.map(({ operation }) => operation) };
}

/** Advances the clock until the promise settles. */
async function settled<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  promise.then(end, end);
  await clock.advance(0);
  if (!ended) await clock.advanceUntil(() => ended);
  return await promise;
}

const STACK = {
  Stacks: [
    {
      StackStatus: 'UPDATE_COMPLETE',
      Parameters: [{ ParameterKey: 'P', ParameterValue: 'v' }],
      Tags: [{ Key: 'team', Value: 'a' }],
      Outputs: [{ OutputKey: 'AlarmRecipient', OutputValue: 'none' }],
    },
  ],
};
const change = (fields: object) => ({
  ResourceChange: { LogicalResourceId: 'Table', ResourceType: 'AWS::DynamoDB::Table', Action: 'Add', ...fields },
});

describe('CloudFormationStack', () => {
  it('R-5.23 the stack is undefined when it does not exist, and has its outputs otherwise', async () => {
    const absent = Object.assign(new Error('Stack with id evenkeel-prod does not exist'), { name: 'ValidationError' });
    expect(await setUp({ DescribeStacks: [absent] }).stack.describe()).toBeUndefined();
    expect(await setUp({ DescribeStacks: [STACK] }).stack.describe()).toEqual({
      status: 'UPDATE_COMPLETE',
      outputs: { AlarmRecipient: 'none' },
    });
    const denied = Object.assign(new Error('no'), { name: 'AccessDenied' });
    await expect(setUp({ DescribeStacks: [denied] }).stack.describe()).rejects.toThrow(
      'DescribeStacks on evenkeel-prod',
    );
  });

  it('R-5.23 owns a part of any page, and none that a rollback could not delete', async () => {
    const part = (PhysicalResourceId: string, ResourceStatus: string) => ({ PhysicalResourceId, ResourceStatus });
    const first = { StackResourceSummaries: [part('bucket', 'CREATE_COMPLETE')], NextToken: 'next' };
    const owns = (status: string) =>
      setUp({
        ListStackResources: [first, { StackResourceSummaries: [part('evenkeel-prod', status)] }],
      }).stack.owns('evenkeel-prod');
    expect(await owns('UPDATE_COMPLETE')).toBe(true);
    expect(await owns('DELETE_FAILED')).toBe(false);
    expect(await owns('DELETE_COMPLETE')).toBe(false);
    expect(await setUp({ ListStackResources: [{}] }).stack.owns('evenkeel-prod')).toBe(false);
  });

  it('R-5.23 lists every part that was deleted or changed when CloudFormation has compared them all', async () => {
    const { stack, clock, asked } = setUp({
      DetectStackDrift: [{ StackDriftDetectionId: 'd' }],
      DescribeStackDriftDetectionStatus: [
        { DetectionStatus: 'DETECTION_IN_PROGRESS' },
        { DetectionStatus: 'DETECTION_COMPLETE' },
      ],
      DescribeStackResourceDrifts: [
        {
          StackResourceDrifts: [
            {
              LogicalResourceId: 'Table',
              PhysicalResourceId: 'evenkeel-prod',
              ResourceType: 'AWS::DynamoDB::Table',
              StackResourceDriftStatus: 'DELETED',
            },
          ],
          NextToken: 'more',
        },
        {
          StackResourceDrifts: [
            {
              LogicalResourceId: 'Rule',
              PhysicalResourceId: 'rule',
              ResourceType: 'AWS::Events::Rule',
              StackResourceDriftStatus: 'MODIFIED',
              PropertyDifferences: [{ PropertyPath: '/State' }],
            },
          ],
        },
      ],
    });
    expect(await settled(clock, stack.differences())).toEqual([
      { logicalId: 'Table', physicalId: 'evenkeel-prod', type: 'AWS::DynamoDB::Table', state: 'deleted', fields: [] },
      { logicalId: 'Rule', physicalId: 'rule', type: 'AWS::Events::Rule', state: 'changed', fields: ['/State'] },
    ]);
    expect(asked.at(-1)?.input).toMatchObject({ NextToken: 'more' });
  });

  it('R-5.23 a repair compares the template with the existing parts, and keeps parameters and tags', async () => {
    const { stack, clock, asked, operations } = setUp({
      DescribeStacks: [STACK, { Stacks: [{ StackStatus: 'UPDATE_IN_PROGRESS' }] }, STACK],
      DescribeChangeSet: [
        { Status: 'CREATE_IN_PROGRESS' },
        { Status: 'CREATE_COMPLETE', Changes: [change({ ResourceDriftStatus: 'DELETED' })] },
      ],
    });
    const repair = await settled(clock, stack.prepareRepair());
    expect(asked.find(({ operation }) => operation === 'CreateChangeSet')?.input).toEqual({
      StackName: 'evenkeel-prod',
      ChangeSetName: 'repair-1',
      ChangeSetType: 'UPDATE',
      DeploymentMode: 'REVERT_DRIFT',
      UsePreviousTemplate: true,
      Capabilities: ['CAPABILITY_NAMED_IAM'],
      Parameters: [{ ParameterKey: 'P', UsePreviousValue: true }],
      Tags: [{ Key: 'team', Value: 'a' }],
    });
    expect(repair.changes).toEqual([{ logicalId: 'Table', type: 'AWS::DynamoDB::Table', action: 'Add', loses: false }]);
    expect(operations()).not.toContain('ExecuteChangeSet');
    await settled(clock, repair.apply());
    expect(operations().at(-1)).toBe('DescribeStacks');
  });

  it.each([
    [{ Action: 'Modify', Replacement: 'True', ResourceDriftStatus: 'MODIFIED' }, true],
    [{ Action: 'Modify', Replacement: 'False', ResourceDriftStatus: 'MODIFIED' }, false],
    [{ Action: 'Remove' }, true],
    [{ Action: 'Modify', Replacement: 'Conditional', ResourceDriftStatus: 'MODIFIED' }, true],
    [{ Action: 'Dynamic' }, true],
    [{ Action: 'Modify', Replacement: 'True', ResourceDriftStatus: 'DELETED' }, false],
    [{ Action: 'Modify', Replacement: 'Conditional', ResourceDriftStatus: 'DELETED' }, false],
  ])('R-5.23 the change %j loses an existing part: %s', async (fields, loses) => {
    const { stack, clock } = setUp({
      DescribeStacks: [STACK],
      DescribeChangeSet: [{ Status: 'CREATE_COMPLETE', Changes: [change(fields)] }],
    });
    expect((await settled(clock, stack.prepareRepair())).changes).toMatchObject([{ loses }]);
  });

  it.each([
    "The submitted information didn't contain changes. Submit different information to create a change set.",
    'No updates are to be performed.',
  ])('R-5.23 the stack has nothing to repair when CloudFormation answers "%s"', async (StatusReason) => {
    const { stack, clock } = setUp({
      DescribeStacks: [STACK],
      DescribeChangeSet: [{ Status: 'FAILED', StatusReason }],
    });
    expect((await settled(clock, stack.prepareRepair())).changes).toEqual([]);
  });

  it.each([
    ['no changes', 'User is not authorized to perform: dynamodb:DescribeTable', []],
    ['no changes and no reason', undefined, []],
    ['changes', 'Template error', [change({})]],
  ])(
    'R-5.23 a repair is refused and its change set deleted when it failed with %s',
    async (_, StatusReason, Changes) => {
      const { stack, clock, operations } = setUp({
        DescribeStacks: [STACK],
        DescribeChangeSet: [{ Status: 'FAILED', Changes, ...(StatusReason !== undefined && { StatusReason }) }],
      });
      await expect(settled(clock, stack.prepareRepair())).rejects.toThrow(
        `CloudFormation cannot repair stack evenkeel-prod: ${StatusReason ?? 'it gives no reason'}`,
      );
      expect(operations().at(-1)).toBe('DeleteChangeSet');
    },
  );

  it('R-5.23 a repair shows why it failed when its change set cannot be deleted either', async () => {
    const { stack, clock } = setUp({
      DescribeStacks: [STACK],
      DescribeChangeSet: [{ Status: 'FAILED', StatusReason: 'User is not authorized' }],
      DeleteChangeSet: [Object.assign(new Error('no'), { name: 'AccessDenied' })],
    });
    await expect(settled(clock, stack.prepareRepair())).rejects.toThrow('User is not authorized');
  });

  it('R-5.23 the stack reports no comparison when CloudFormation could not compare every part', async () => {
    const { stack, clock } = setUp({
      DetectStackDrift: [{ StackDriftDetectionId: 'd' }],
      DescribeStackDriftDetectionStatus: [
        { DetectionStatus: 'DETECTION_IN_PROGRESS' },
        { DetectionStatus: 'DETECTION_FAILED', DetectionStatusReason: 'Failed to detect drift on resource [Table]' },
      ],
    });
    await expect(settled(clock, stack.differences())).rejects.toThrow('Failed to detect drift on resource [Table]');
  });

  it('R-5.23 a repair reports that it was rolled back', async () => {
    const { stack, clock } = setUp({
      DescribeStacks: [STACK, { Stacks: [{ StackStatus: 'UPDATE_ROLLBACK_COMPLETE' }] }],
      DescribeChangeSet: [{ Status: 'CREATE_COMPLETE', Changes: [change({})] }],
    });
    const repair = await settled(clock, stack.prepareRepair());
    await expect(settled(clock, repair.apply())).rejects.toThrow('ended with UPDATE_ROLLBACK_COMPLETE');
  });
});
