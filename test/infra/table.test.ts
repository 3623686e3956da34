import { describe, expect, it } from 'vitest';
import { table } from '../../infra/table.ts';
import { EXPIRES_AT, tableDefinition } from '../../lib/adapters/aws/dynamodb-table.ts';
import { aStage } from './a-stage.ts';

describe('table', () => {
  it('R-5.5 keys and index are those that the code reads and writes', () => {
    expect(table(aStage()).Table?.Properties).toMatchObject(tableDefinition('evenkeel-test'));
  });

  it('R-5.8 it can be brought back to any second of the last weeks, and is encrypted', () => {
    expect(table(aStage()).Table?.Properties).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  it('R-1.11 it removes the items whose expiry the code sets', () => {
    expect(table(aStage()).Table?.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: EXPIRES_AT,
      Enabled: true,
    });
  });

  it('R-6.8 whether it can be deleted, the stage says', () => {
    const protectedBy = (cloud: object) => table(aStage({ cloud })).Table?.Properties.DeletionProtectionEnabled;
    expect([protectedBy({}), protectedBy({ deletionProtection: false })]).toEqual([true, false]);
  });
});
