import { describe, expect, it } from 'vitest';
import { AwsAccount } from '../../../lib/adapters/aws/aws-account.ts';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { serve } from '../kubernetes/http-server.ts';

async function account(answer: { status?: number; body?: object; date?: string | null }) {
  const { status = 200, body = {}, date } = answer;
  const server = await serve((request, response) => {
    request.resume();
    if (date === null) response.sendDate = false;
    if (typeof date === 'string') response.setHeader('date', date);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  });
  const { dynamodb } = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: server.url },
    maxSockets: 1,
  });
  return new AwsAccount(dynamodb, server.url, new ManualClock(Date.UTC(2026, 0, 1)));
}

describe('AwsAccount', () => {
  it('R-6.4 the account reports whether a table exists', async () => {
    const found = await account({ body: { Table: { TableArn: 'arn:t', TableStatus: 'ACTIVE' } } });
    expect(await found.table('t')).toEqual({ arn: 'arn:t', status: 'ACTIVE' });
    const missing = await account({ status: 400, body: { __type: 'x#ResourceNotFoundException' } });
    expect(await missing.table('t')).toBeUndefined();
  });

  it('R-6.4 a refusal names the request, and what to check', async () => {
    const refused = await account({ status: 400, body: { __type: 'x#AccessDeniedException', message: 'hunter2' } });
    await expect(refused.table('t')).rejects.toThrow(
      /DynamoDB DescribeTable on t failed with AccessDenied.*permissions/,
    );
  });

  it("R-6.4 the account reads AWS' clock from the Date of any answer", async () => {
    const ahead = await account({ status: 404, date: 'Thu, 01 Jan 2026 00:00:09 GMT' });
    expect(await ahead.clockAheadMs()).toBe(9_000);
    const dateless = await account({ date: null });
    await expect(dateless.clockAheadMs()).rejects.toThrow('answered without a Date');
  });
});
