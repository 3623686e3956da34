import {
  type AttributeValue,
  BatchGetItemCommand,
  type CreateTableCommandInput,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { InfrastructureError, ItemError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OnRequest } from '../request-observer.ts';
import type { TableKey } from '../state-keys.ts';
import type { Item } from './attribute-values.ts';
import { awsFailure, isConditionFailure } from './aws-failure.ts';

/** The sparse index that finds due timers. Every write sets dueAt and dueShard together, and removes them together. */
export const DUE_INDEX = 'due';

/** The table removes items with this attribute some time after it; in seconds. */
export const EXPIRES_AT = 'expiresAt';

/** The one table with its index, for a local start, tests and the deployment. */
export function tableDefinition(name: string) {
  return {
    TableName: name,
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
  } satisfies CreateTableCommandInput;
}

export interface DynamoDbTableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** For the pauses between the requests of a batch that the table did not process completely. */
  readonly clock: Clock;
  readonly onRequest?: OnRequest;
}

export interface ConditionalWrite {
  readonly key: TableKey;
  readonly condition?: string;
  readonly values?: Record<string, AttributeValue>;
  readonly names?: Record<string, string>;
  /** The write sets or removes a timer. */
  readonly deadline?: boolean;
}

export interface Update extends ConditionalWrite {
  readonly update: string;
  readonly returns?: 'ALL_NEW';
  /** A refused write returns the item that refused it, at no cost. */
  readonly returnsRefusing?: true;
}

export type WriteResult =
  /** `item` is what the write returned, if that was requested. */
  | { readonly accepted: true; readonly item: Item }
  /**
   * `refusedBy` is absent when it was not requested, when there is no item, and with an emulator that does not return
   * it.
   */
  | { readonly accepted: false; readonly refusedBy: Item | undefined };

const NOTHING: Item = {};
/** How often the unprocessed part of a batch is requested, and the first delay. */
const MAX_BATCH_ATTEMPTS = 6;
const BATCH_PAUSE_MS = 50;

/** The requests of the stores to the table. A refused condition is a result; every other failure is thrown. */
export class DynamoDbTable {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #onRequest: OnRequest;

  constructor({ client, tableName, clock, onRequest = () => {} }: DynamoDbTableOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#clock = clock;
    this.#onRequest = onRequest;
  }

  async update({ key, update, returns, returnsRefusing, deadline = false, ...write }: Update): Promise<WriteResult> {
    const { condition, values, names } = write;
    const command = new UpdateItemCommand({
      TableName: this.#tableName,
      Key: wireKey(key),
      UpdateExpression: update,
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: returnsRefusing === true ? 'ALL_OLD' : undefined,
    });
    return this.#write('UpdateItem', deadline, async () => (await this.#client.send(command)).Attributes);
  }

  async delete({ key, condition, values, names, deadline = false }: ConditionalWrite): Promise<boolean> {
    const command = new DeleteItemCommand({
      TableName: this.#tableName,
      Key: wireKey(key),
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
    });
    const send = async () => (await this.#client.send(command)).Attributes;
    return (await this.#write('DeleteItem', deadline, send)).accepted;
  }

  /** Strongly consistent. */
  async get(key: TableKey): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: this.#tableName, Key: wireKey(key), ConsistentRead: true });
    return this.#read('GetItem', async () => (await this.#client.send(command)).Item);
  }

  /** Strongly consistent; in no defined order, without absent items. At most 100 keys. */
  async getAll(keys: readonly TableKey[]): Promise<Item[]> {
    const found: Item[] = [];
    let wanted = [...new Map(keys.map((key) => [`${key.pk}|${key.sk}`, wireKey(key)])).values()];
    for (let attempt = 0; wanted.length > 0; attempt += 1) {
      if (attempt === MAX_BATCH_ATTEMPTS) {
        throw new InfrastructureError(
          `DynamoDB BatchGetItem on ${this.#tableName} left ${wanted.length} items out again and again: the table is throttled; raise its limit if this lasts`,
        );
      }
      if (attempt > 0) await this.#clock.sleep(BATCH_PAUSE_MS * 2 ** (attempt - 1));
      const request = { [this.#tableName]: { Keys: wanted, ConsistentRead: true } };
      const command = new BatchGetItemCommand({ RequestItems: request });
      const answer = await this.#read('BatchGetItem', () => this.#client.send(command));
      found.push(...(answer.Responses?.[this.#tableName] ?? []));
      wanted = (answer.UnprocessedKeys?.[this.#tableName]?.Keys ?? []) as typeof wanted;
    }
    return found;
  }

  /** One page; `last` is the key to continue after, when there may be more items. */
  async query(input: Omit<QueryCommandInput, 'TableName'>): Promise<{ items: Item[]; last?: Item }> {
    const command = new QueryCommand({ TableName: this.#tableName, ...input });
    const { Items = [], LastEvaluatedKey: last } = await this.#read('Query', () => this.#client.send(command));
    return last === undefined ? { items: Items } : { items: Items, last };
  }

  async #write(operation: string, deadline: boolean, send: () => Promise<Item | undefined>): Promise<WriteResult> {
    try {
      const item = await send();
      this.#onRequest('dynamodb', operation, { deadline });
      return { accepted: true, item: item ?? NOTHING };
    } catch (error) {
      const refused = isConditionFailure(error);
      this.#onRequest('dynamodb', operation, { refused });
      if (refused) return { accepted: false, refusedBy: error.Item };
      // The written item itself is not acceptable, mostly for its size. Other items are not affected.
      if (error instanceof Error && error.name === 'ValidationException') {
        const { message, data } = awsFailure('DynamoDB', operation, this.#tableName, error);
        throw new ItemError(message, { cause: error, data });
      }
      throw awsFailure('DynamoDB', operation, this.#tableName, error);
    }
  }

  async #read<Answer>(operation: string, send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      throw awsFailure('DynamoDB', operation, this.#tableName, error);
    } finally {
      this.#onRequest('dynamodb', operation, {});
    }
  }
}

export function wireKey({ pk, sk }: TableKey): { pk: { S: string }; sk: { S: string } } {
  return { pk: { S: pk }, sk: { S: sk } };
}

export function tableKey(item: Item): TableKey {
  return { pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' };
}
