import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { DynamoDbTable } from '../../../lib/adapters/aws/dynamodb-table.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../../lib/adapters/local/local-account.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

/** A table that answers at most so many keys of a batch. */
function setUp(answered: number) {
  const asked: number[] = [];
  const client = new DynamoDBClient({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoint: 'http://127.0.0.1:1',
    requestHandler: {
      handle: async ({ body }: { body: Uint8Array }) => {
        const { Keys } = (JSON.parse(new TextDecoder().decode(body)) as { RequestItems: { state: { Keys: unknown[] } } })
          .RequestItems.state;
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
  const clock = new ManualClock();
  return { table: new DynamoDbTable({ client, tableName: 'state', clock }), clock, asked };
}

const KEYS = Array.from({ length: 5 }, (_, index) => ({ pk: 'a', sk: String(index) }));

describe('reading a batch of items', () => {
  it('R-5.8 asks again, after a pause, for what the table put off', async () => {
    const { table, clock, asked } = setUp(2);
    const startMs = clock.now();
    const pending = table.getAll(KEYS);
    await clock.advanceUntil(() => asked.length === 3);
    expect((await pending).map((item) => item.sk?.S)).toEqual(['0', '1', '2', '3', '4']);
    expect(asked).toEqual([5, 3, 1]);
    expect(clock.now()).toBeGreaterThan(startMs);
  });

  it('R-5.14 gives up on a table that puts everything off again and again', async () => {
    const { table, clock, asked } = setUp(0);
    const pending = table.getAll(KEYS).catch((error: unknown) => error);
    await clock.advanceUntil(() => asked.length === 6);
    expect(await pending).toBeInstanceOf(InfrastructureError);
  });
});
