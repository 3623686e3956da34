import { describe, expect, it } from 'vitest';
import { AwsAccount } from '../../../lib/adapters/aws/aws-account.ts';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';
import { serve } from '../kubernetes/http-server.ts';

async function account(answer: { status?: number; body?: object; date?: string | null; quota?: unknown }) {
  const { status = 200, body = {}, date, quota } = answer;
  const server = await serve((request, response) => {
    request.resume();
    if (date === null) response.sendDate = false;
    if (typeof date === 'string') response.setHeader('date', date);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  });
  const dynamodb = client(server.url);
  const asked: unknown[] = [];
  const quotas = {
    call: async (...call: unknown[]) => {
      asked.push(call.slice(0, 2));
      return quota;
    },
  };
  return Object.assign(new AwsAccount(dynamodb, server.url, quotas, new ManualClock(Date.UTC(2026, 0, 1))), { asked });
}

function client(url: string) {
  const { dynamodb } = createAwsClients({
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoints: { dynamodb: url },
    maxSockets: 1,
  });
  return dynamodb;
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

  it('R-6.4 reads the concurrent executions of Lambda from Service Quotas', async () => {
    const found = await account({ quota: { Quota: { Value: 10, QuotaName: 'Concurrent executions' } } });
    expect(await found.concurrentExecutions()).toBe(10);
    expect(found.asked).toEqual([['GetServiceQuota', { ServiceCode: 'lambda', QuotaCode: 'L-B99A9384' }]]);
    await expect((await account({ quota: {} })).concurrentExecutions()).rejects.toThrow('without a value');
  });

  it("R-6.4 the account reads AWS' clock from the Date of any answer", async () => {
    const ahead = await account({ status: 404, date: 'Thu, 01 Jan 2026 00:00:09 GMT' });
    expect(await ahead.clockAheadMs()).toBe(9_000);
    const dateless = await account({ date: null });
    await expect(dateless.clockAheadMs()).rejects.toThrow('answered without a Date');
  });

  it.each([
    [
      'deletes a protected table when it is empty',
      [],
      ['Scan', 'UpdateTable', 'DescribeTable', 'DescribeTable', 'DeleteTable'],
    ],
    ['keeps a table when it holds an item', [{ pk: { S: 'R#east' } }], ['Scan']],
  ])('R-5.23 %s', async (_, Items, operations) => {
    const asked: string[] = [];
    const server = await serve((request, response) => {
      request.resume();
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      asked.push(operation);
      // It takes some time until the protection is off.
      const TableStatus = asked.filter((one) => one === 'DescribeTable').length < 2 ? 'UPDATING' : 'ACTIVE';
      const body = { Scan: { Items }, DescribeTable: { Table: { TableArn: 'arn:t', TableStatus } } };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(body[operation as keyof typeof body] ?? {}));
    });
    const clock = new ManualClock();
    const found = new AwsAccount(client(server.url), server.url, { call: async () => ({}) }, clock);
    const deleted = found.deleteEmptyTable('t');
    let ended = false;
    void deleted.finally(() => {
      ended = true;
    });
    while (!ended) {
      if (clock.sleeping > 0) await clock.advance(1_000);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await deleted).toBe(Items.length === 0);
    expect(asked).toEqual(operations);
  });
});
