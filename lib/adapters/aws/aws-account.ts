import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { InfrastructureError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CloudAccount } from '../../ports/cloud-account.ts';
import { awsFailure } from './aws-failure.ts';
import type { AwsJsonClient } from './aws-json-client.ts';

const POLL_MS = 1_000;

/** Concurrent executions of AWS Lambda. New accounts have 10 of them, and AWS' default is 1,000. */
const CONCURRENT_EXECUTIONS = { ServiceCode: 'lambda', QuotaCode: 'L-B99A9384' };

const quotaSchema = z.object({ Quota: z.object({ Value: z.number() }) });

/** An account of AWS, by its DynamoDB and its service quotas. */
export class AwsAccount implements CloudAccount {
  readonly #client: DynamoDBClient;
  readonly #endpoint: string;
  readonly #quotas: Pick<AwsJsonClient, 'call'>;
  readonly #clock: Clock;

  /** @param endpoint of DynamoDB. @param quotas Service Quotas. */
  constructor(client: DynamoDBClient, endpoint: string, quotas: Pick<AwsJsonClient, 'call'>, clock: Clock) {
    this.#client = client;
    this.#endpoint = endpoint;
    this.#quotas = quotas;
    this.#clock = clock;
  }

  async table(name: string): Promise<{ arn: string; status: string } | undefined> {
    try {
      const { Table } = await this.#client.send(new DescribeTableCommand({ TableName: name }));
      return { arn: Table?.TableArn ?? '', status: Table?.TableStatus ?? '' };
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw awsFailure('DynamoDB', 'DescribeTable', name, error);
    }
  }

  async deleteEmptyTable(name: string): Promise<boolean> {
    try {
      const { Items = [] } = await this.#client.send(
        new ScanCommand({ TableName: name, Limit: 1, ConsistentRead: true }),
      );
      if (Items.length > 0) return false;
      await this.#client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }));
      // A table that is being changed cannot be deleted.
      while ((await this.table(name))?.status === 'UPDATING') await this.#clock.sleep(POLL_MS);
      await this.#client.send(new DeleteTableCommand({ TableName: name }));
      return true;
    } catch (error) {
      if (error instanceof InfrastructureError) throw error;
      throw awsFailure('DynamoDB', 'DeleteTable', name, error);
    }
  }

  async concurrentExecutions(): Promise<number> {
    const answer = await this.#quotas.call(
      'GetServiceQuota',
      CONCURRENT_EXECUTIONS,
      'the quota of concurrent executions',
    );
    const parsed = quotaSchema.safeParse(answer);
    if (parsed.success) return parsed.data.Quota.Value;
    throw new InfrastructureError('Service Quotas answered without a value for the concurrent executions of Lambda');
  }

  /** By the Date of an answer, whatever it answers. */
  async clockAheadMs(): Promise<number> {
    const sentAtMs = this.#clock.now();
    let date: string | null;
    try {
      const response = await fetch(this.#endpoint, { redirect: 'manual' });
      await response.body?.cancel();
      date = response.headers.get('date');
    } catch (error) {
      throw awsFailure('DynamoDB', 'GET', this.#endpoint, error);
    }
    const theirMs = Date.parse(date ?? '');
    if (Number.isNaN(theirMs)) throw new InfrastructureError(`${this.#endpoint} answered without a Date`);
    return theirMs - (sentAtMs + this.#clock.now()) / 2;
  }
}
