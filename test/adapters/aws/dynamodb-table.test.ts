import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { DynamoDbTable } from '../../../lib/adapters/aws/dynamodb-table.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';

/** A table that returns at most this many keys of a batch. */
function setUp(answered: number) {
  const asked: number[] = [];
  const client = new DynamoDBClient({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoint: 'http://127.0.0.1:1',
    requestHandler: {
      handle: async ({ body }: { body: Uint8Array }) => {
        const { Keys } = (
          JSON.parse(new TextDecoder().decode(body)) as { RequestItems: { state: { Keys: unknown[] } } }
        ).RequestItems.state;
        asked.push(Keys.length);
        const left = Keys.slice(answered);
        const answer = {
          Responses: { state: Keys.slice(0, answered) },
          UnprocessedKeys: left.length === 0 ? {} : { state: { Keys: left, ConsistentRead: true } },
        };
        return { response: { statusCode: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) } };
      },
      updateHttpClientConfig() {},
      httpHandlerConfigs: () => ({}),
    },
  });
  const pauses: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    async sleep(ms) {
      pauses.push(ms);
    },
  };
  return { table: new DynamoDbTable({ client, tableName: 'state', clock }), pauses, asked };
}

const KEYS = Array.from({ length: 5 }, (_, index) => ({ pk: 'a', sk: String(index) }));

describe('reading a batch of items', () => {
  it('R-5.8 a batch requests unprocessed items again, after growing pauses', async () => {
    const { table, pauses, asked } = setUp(2);
    const items = await table.getAll(KEYS);
    expect(items.map((item) => item.sk?.S)).toEqual(['0', '1', '2', '3', '4']);
    expect(asked).toEqual([5, 3, 1]);
    expect(pauses).toEqual([50, 100]);
  });

  it('R-5.14 a batch gives up when the table processes nothing again and again', async () => {
    const { table, asked } = setUp(0);
    await expect(table.getAll(KEYS)).rejects.toThrow(InfrastructureError);
    expect(asked).toHaveLength(6);
  });
});
