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

function run(changes: readonly StackChange[], flags: readonly string[] = [], isThere = true): Promise<number> {
  const stack: DeployedStack = {
    describe: async () => (isThere ? { status: 'UPDATE_COMPLETE', outputs: {} } : undefined),
    differences: async () => [],
    prepareRepair: async () => ({
      changes,
      apply: async () => void done.push('apply'),
      discard: async () => void done.push('discard'),
    }),
  };
  const invocation = { text: () => 'prod', has: (flag: string) => flags.includes(flag) } as unknown as Invocation;
  return repairStack(stack, invocation, terminal);
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
});
