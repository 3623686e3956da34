import { tableName } from '../lib/deployment/installation/resource-names.ts';
import type { Resources } from './cloudformation.ts';
import type { Stage } from './stage.ts';

export const TABLE = 'Table';
/** The index over timers. */
export const DUE_INDEX = 'due';

/** The one table. A test compares its keys and its index with what the code reads and writes. */
export function table({ name, cloud }: Stage): Resources {
  return {
    [TABLE]: {
      Type: 'AWS::DynamoDB::Table',
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        TableName: tableName(name),
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
          { AttributeName: 'dueShard', AttributeType: 'N' },
          { AttributeName: 'dueAt', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: DUE_INDEX,
            KeySchema: [
              { AttributeName: 'dueShard', KeyType: 'HASH' },
              { AttributeName: 'dueAt', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: cloud.deletionProtection,
      },
    },
  };
}
