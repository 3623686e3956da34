import { DeleteItemCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { isConditionFailure } from '../../../lib/adapters/aws/aws-failure.ts';
import { EXPIRES_AT } from '../../../lib/adapters/aws/dynamodb-table.ts';

/**
 * Removes the items whose `expiresAt` (seconds) has passed. DynamoDB does this by itself; the embedded table does not.
 * An item that is in use again stays.
 * @returns the number of removed items.
 */
export async function expireItems(client: DynamoDBClient, tableName: string, nowMs: number): Promise<number> {
  const over = { ExpressionAttributeValues: { ':now': { N: String(Math.floor(nowMs / 1000)) } } };
  const pages = paginateScan(
    { client },
    {
      TableName: tableName,
      ProjectionExpression: 'pk, sk',
      FilterExpression: `${EXPIRES_AT} < :now`,
      ConsistentRead: true,
      ...over,
    },
  );
  let removed = 0;
  for await (const { Items = [] } of pages) {
    for (const Key of Items) {
      const command = new DeleteItemCommand({
        TableName: tableName,
        Key,
        ConditionExpression: `${EXPIRES_AT} < :now`,
        ...over,
      });
      try {
        await client.send(command);
        removed += 1;
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
    }
  }
  return removed;
}
