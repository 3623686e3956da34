import { describe, expect, it } from 'vitest';
import { examineStack } from '../../../cli/doctor/examine-stack.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { DeployedStack, StackDifference } from '../../../lib/ports/deployed-stack.ts';

const TABLE = { logicalId: 'Table', physicalId: 'evenkeel-prod', type: 'AWS::DynamoDB::Table', fields: [] };

function examine(
  differences: readonly StackDifference[] | Error,
  outputs: Record<string, string> = {},
  status = 'UPDATE_COMPLETE',
) {
  const stack: Pick<DeployedStack, 'describe' | 'differences'> = {
    describe: async () => ({ status, outputs }),
    differences: async () => {
      if (differences instanceof Error) throw differences;
      return [...differences];
    },
  };
  return examineStack('prod', stack as DeployedStack);
}

describe('examineStack', () => {
  it('R-5.23 names each part that was deleted by hand, with the command that makes it again', async () => {
    expect(await examine([{ ...TABLE, state: 'deleted' }])).toEqual([
      {
        about: 'AWS',
        level: 'trouble',
        text: 'AWS::DynamoDB::Table evenkeel-prod was deleted by hand',
        advice: 'Show what a repair does: evenkeel repair --stage prod --dry-run.',
      },
    ]);
  });

  it.each([
    ['/State', 'trouble'],
    ['/DeletionProtectionEnabled', 'trouble'],
    ['/Enabled', 'trouble'],
    ['/Description', 'note'],
  ])('R-5.23 a changed %s is %s', async (field, level) => {
    expect(await examine([{ ...TABLE, state: 'changed', fields: [field] }])).toMatchObject([
      { level, text: `AWS::DynamoDB::Table evenkeel-prod was changed by hand: ${field}` },
    ]);
  });

  it('R-5.23 warns when the parts cannot be compared, with the permissions that this needs', async () => {
    expect(await examine(new InfrastructureError('denied'))).toMatchObject([
      { level: 'warning', advice: expect.stringContaining('cloudformation:DetectStackDrift') },
    ]);
  });

  it('R-5.22 says so when the alarms have no recipient', async () => {
    expect(await examine([], { AlarmRecipient: 'none' })).toMatchObject([
      { level: 'ok' },
      { level: 'note', text: 'the stage names no recipient for its alarms' },
    ]);
    expect(await examine([], { AlarmRecipient: 'an address' })).toMatchObject([{ level: 'ok' }]);
  });

  it.each([
    ['UPDATE_ROLLBACK_FAILED', 'continue-update-rollback'],
    ['ROLLBACK_COMPLETE', 'delete-stack'],
    ['ROLLBACK_FAILED', 'delete-stack'],
    ['CREATE_FAILED', 'delete-stack'],
    ['DELETE_FAILED', 'delete-stack'],
  ])('R-5.23 a stack that is %s is trouble, and the advice is to run %s', async (status, command) => {
    const [first] = await examine([], {}, status);
    expect(first).toMatchObject({ level: 'trouble', text: `the stack is ${status}` });
    expect(first?.advice).toContain(`aws cloudformation ${command} --stack-name evenkeel-prod`);
  });

  it.each(['UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_IN_PROGRESS'])(
    'R-5.23 nothing is said of the status when the stack is %s',
    async (status) => {
      expect(await examine([], {}, status)).toMatchObject([{ level: 'ok' }]);
    },
  );

  it('R-5.23 a stage without a stack is trouble', async () => {
    const stack = { describe: async () => undefined } as unknown as DeployedStack;
    expect(await examineStack('prod', stack)).toMatchObject([
      { level: 'trouble', advice: expect.stringContaining('deploy') },
    ]);
  });
});
