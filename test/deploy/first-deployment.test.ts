import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableDefinition } from '../../lib/adapters/aws/dynamodb-table.ts';
import { tableName } from '../../lib/deployment/installation/resource-names.ts';
import { CloudWorld, STAGE } from './support/cloud-world.ts';

const PARTS = 'infra/serverless-parts.ts';
/** AWS refuses it after it has created the table. */
const REFUSED =
  "...{ Refused: { Type: 'AWS::SQS::Queue', DependsOn: ['Table'], Properties: { VisibilityTimeout: 99_999 } } },";

let world: CloudWorld;

beforeAll(async () => {
  world = await CloudWorld.start();
  world.copy.edit('stages/emulator.yml', 'deletionProtection: false', 'deletionProtection: true');
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function tables(): Promise<string[]> {
  const { TableNames } = await world.aws.json<{ TableNames: string[] }>('dynamodb', 'DynamoDB_20120810.ListTables', {});
  return TableNames;
}

describe('a first deployment that fails', () => {
  it('R-5.23 leaves a protected table, which repair removes so that the next deployment succeeds', async () => {
    world.copy.edit(PARTS, '    ...dashboard(stage),', `    ...dashboard(stage),\n    ${REFUSED}`);
    const failed = await world.copy.serverless('deploy', '--stage', STAGE);
    expect(failed.code, failed.output).toBe(1);
    expect(failed.output).toContain('Refused (AWS::SQS::Queue)');
    world.copy.edit(PARTS, `\n    ${REFUSED}`, '');

    // When CloudFormation rolls back, it leaves a protected table. The emulator deletes the table, and adopts an
    // existing one.
    expect(await tables()).toEqual([]);
    const left = {
      ...tableDefinition(tableName(STAGE)),
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
    };
    await world.aws.json('dynamodb', 'DynamoDB_20120810.CreateTable', left);
    const dry = await world.copy.evenkeel('repair', '--stage', STAGE, '--dry-run');
    expect(dry.output).toContain(`delete  table ${tableName(STAGE)}, which a failed deployment left`);
    expect(await tables()).toEqual([tableName(STAGE)]);
    const repaired = await world.copy.evenkeel('repair', '--stage', STAGE);
    expect(repaired, repaired.output).toMatchObject({ code: 0 });
    expect(await tables()).toEqual([]);
    await world.deploy();
    expect(await tables()).toEqual([tableName(STAGE)]);
  });

  it('R-5.23 the doctor names each part that was deleted by hand', async () => {
    const queue = `evenkeel-${STAGE}-wakes-dead`;
    await world.aws.json('sqs', 'AmazonSQS.DeleteQueue', { QueueUrl: world.queueUrl(queue) });
    const looked = await world.copy.evenkeel('doctor', '--stage', STAGE);
    expect(looked.code).toBe(1);
    expect(looked.output).toMatch(/TROUBLE {2}AWS: AWS::SQS::Queue \S*wakes-dead was deleted by hand/);
    expect(looked.output).toContain(`evenkeel repair --stage ${STAGE} --dry-run`);
  });
});
