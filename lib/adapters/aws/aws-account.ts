import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InfrastructureError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CloudAccount } from '../../ports/cloud-account.ts';
import { awsFailure } from './aws-failure.ts';

/** An AWS account, reached through its DynamoDB. */
export class AwsAccount implements CloudAccount {
  readonly #client: DynamoDBClient;
  readonly #endpoint: string;
  readonly #clock: Clock;

  /** @param endpoint of DynamoDB. */
  constructor(client: DynamoDBClient, endpoint: string, clock: Clock) {
    this.#client = client;
    this.#endpoint = endpoint;
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

  /** Uses the Date header of an answer; an error answer has it too. */
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
