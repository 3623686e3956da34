import { EMULATOR_ACCOUNT, EMULATOR_REGION } from './emulator.ts';
import type { RequestKeys } from './iam-policy.ts';

/** One request of a function to AWS, as IAM sees it. */
export interface AwsCall {
  readonly userAgent: string;
  /** `dynamodb:UpdateItem` */
  readonly action: string;
  readonly resources: readonly string[];
  /** The request's condition keys. */
  readonly keys: RequestKeys;
  /** The request's body. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A batch needs the permission of its single operation (AWS' service authorization reference for SQS). */
const ACTIONS: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

const SERVICES: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  AmazonSSM: 'ssm',
  secretsmanager: 'secretsmanager',
};

/** Undefined when the request is not a JSON call to a service that functions use. */
export function awsCall(headers: NodeJS.Dict<string | string[]>, body: string): AwsCall | undefined {
  const [prefix = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = SERVICES[prefix];
  if (service === undefined) return undefined;
  const input = JSON.parse(body) as Record<string, unknown>;
  return {
    userAgent: String(headers['user-agent'] ?? ''),
    action: `${service}:${ACTIONS[operation] ?? operation}`,
    resources: resourcesOf(service, input),
    keys: service === 'dynamodb' ? { 'dynamodb:LeadingKeys': partitionsOf(input) } : {},
    input,
  };
}

function resourcesOf(service: string, input: Readonly<Record<string, unknown>>): string[] {
  switch (service) {
    case 'dynamodb': {
      const { TableName, IndexName, RequestItems } = input;
      if (RequestItems !== undefined)
        return Object.keys(RequestItems as object).map((name) => arn(service, `table/${name}`));
      return [arn(service, `table/${TableName}${IndexName === undefined ? '' : `/index/${IndexName}`}`)];
    }
    case 'sqs':
      return [arn(service, String(input.QueueUrl).split('/').at(-1) ?? '')];
    case 'ssm':
      return [arn(service, `parameter${input.Path}`)];
    default:
      return [arn(service, `secret:${input.SecretId}-a1B2c3`)];
  }
}

type Attributes = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

/** The values of the partition key that a request to DynamoDB names. */
function partitionsOf({
  Key,
  RequestItems,
  KeyConditionExpression,
  ExpressionAttributeValues,
}: AwsCall['input']): string[] {
  const value = (found: Attributes[string] | undefined) => found?.S ?? found?.N ?? '';
  if (Key !== undefined) return [value((Key as Attributes).pk)];
  if (RequestItems !== undefined) {
    const requests = Object.values(RequestItems as Record<string, { Keys?: Attributes[] }>);
    return requests.flatMap(({ Keys = [] }) => Keys.map(({ pk }) => value(pk)));
  }
  const name = /^\w+ = (:\w+)/.exec(String(KeyConditionExpression))?.[1] ?? '';
  return [value((ExpressionAttributeValues as Attributes | undefined)?.[name])];
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${EMULATOR_REGION}:${EMULATOR_ACCOUNT}:${resource}`;
}
