import { beforeEach, describe, expect, it } from 'vitest';
import type { Invocation } from '../../cli/command.ts';
import { repairStack } from '../../cli/repair.ts';
import type { DeployedStack, StackChange } from '../../lib/ports/deployed-stack.ts';
import { RecordedTerminal } from '../deployment/terminal/recorded-terminal.ts';

const TABLE: StackChange = { logicalId: 'Table', type: 'AWS::DynamoDB::Table', action: 'Add', loses: false };

let done: string[];
let terminal: RecordedTerminal;

beforeEach(() => {
  done = [];
  terminal = new RecordedTerminal();
});

interface Left {
  /** The table that a failed deployment left; undefined when it is part of the stack. */
  readonly left?: 'empty' | 'full';
}

function run(
  changes: readonly StackChange[],
  flags: readonly string[] = [],
  isThere = true,
  { left }: Left = {},
): Promise<number> {
  const stack: DeployedStack = {
    describe: async () => (isThere ? { status: 'UPDATE_COMPLETE', outputs: {} } : undefined),
    owns: async () => left === undefined,
    differences: async () => [],
    prepareRepair: async () => ({
      changes,
      apply: async () => void done.push('apply'),
      discard: async () => void done.push('discard'),
    }),
  };
  const invocation = { text: () => 'prod', has: (flag: string) => flags.includes(flag) } as unknown as Invocation;
  const account = {
    table: async () => ({ arn: 'arn:table', status: 'ACTIVE' }),
    deleteEmptyTable: async (name: string) => {
      if (left === 'empty') done.push(`delete ${name}`);
      return left === 'empty';
    },
  };
  return repairStack({ stack, account }, invocation, terminal);
}

describe('evenkeel repair', () => {
  it('R-5.23 makes what was deleted again, and says what', async () => {
    expect(await run([TABLE])).toBe(0);
    expect(done).toEqual(['apply']);
    expect(terminal.outLines).toContain('add  AWS::DynamoDB::Table Table');
    expect(terminal.errLines).toContain('repaired one part');
  });

  it('R-5.23 changes nothing when it is a dry run, and leaves no change set', async () => {
    await run([TABLE], ['dry-run']);
    expect(done).toEqual(['discard']);
    expect(terminal.outLines).toContain('add  AWS::DynamoDB::Table Table');
  });

  it('R-5.23 changes nothing when every part is as it was deployed', async () => {
    await run([]);
    expect(done).toEqual(['discard']);
    expect(terminal.errLines).toContain('every part of the stack is as it was deployed');
  });

  it('R-5.23 is refused when it would delete or replace a part that exists', async () => {
    const queue = { logicalId: 'WakesQueue', type: 'AWS::SQS::Queue', action: 'Modify', loses: true };
    await expect(run([TABLE, queue])).rejects.toThrow(
      'a repair would lose WakesQueue, which exists. Nothing was changed.',
    );
    expect(done).toEqual(['discard']);
  });

  it('R-6.4 says what to do when there is no stack', async () => {
    await expect(run([], [], false)).rejects.toThrow('npx serverless deploy --stage prod');
  });

  it('R-5.23 a table that a failed deployment left is deleted when it is empty', async () => {
    expect(await run([], [], true, { left: 'empty' })).toBe(0);
    expect(done).toEqual(['delete evenkeel-prod']);
    expect(terminal.errLines).toEqual(['deleted it. Deploy the stage again.']);
  });

  it('R-5.23 a table that a failed deployment left stays when it is a dry run', async () => {
    await run([], ['dry-run'], true, { left: 'empty' });
    expect(done).toEqual([]);
    expect(terminal.outLines).toEqual([expect.stringContaining('table evenkeel-prod, which a failed deployment left')]);
  });

  it('R-5.23 a table that is no part of the stack stays when it holds items', async () => {
    await expect(run([], [], true, { left: 'full' })).rejects.toThrow(/it holds items\. Nothing was changed\./);
    expect(done).toEqual([]);
  });
});
