import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { UndiciRequestHandler } from './undici-request-handler.ts';

export interface AwsClientOptions {
  readonly region: string;
  /** Instead of AWS' own: embedded parts, or an emulator. */
  readonly endpoints?: { readonly dynamodb?: string; readonly sqs?: string };
  /** Absent: the default chain of the SDK (a function's role, a profile, ...). */
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
  /** Connections to each service: as many as there are requests at once, long polls included. */
  readonly maxSockets: number;
  /** Told of each request to DynamoDB that was throttled, retries included. @param operation e.g. `UpdateItem`. */
  readonly onThrottled?: (operation: string) => void;
}

export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** Both services answer in milliseconds; a pass has 20 s. Long polls set their own. */
const REQUEST_TIMEOUT_MS = 4_000;
const MAX_ATTEMPTS = 3;

/**
 * The clients of one process, made once. Whatever the SDK would look up or compute for nothing is fixed here: modes,
 * account endpoints, endpoint discovery, and the checksums of message bodies (TLS and the signature protect those).
 */
export function createAwsClients({
  region,
  endpoints,
  credentials,
  maxSockets,
  onThrottled,
}: AwsClientOptions): AwsClients {
  const shared = () => ({
    region,
    ...(credentials !== undefined && { credentials }),
    defaultsMode: 'standard' as const,
    retryMode: 'standard',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: new UndiciRequestHandler({
      maxSockets,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    }),
  });
  const dynamodb = new DynamoDBClient({
    ...shared(),
    ...(endpoints?.dynamodb !== undefined && { endpoint: endpoints.dynamodb }),
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabledProvider: async () => false,
    cacheMiddleware: true,
  });
  if (onThrottled !== undefined) watchThrottles(dynamodb, onThrottled);
  const sqs = new SQSClient({
    ...shared(),
    ...(endpoints?.sqs !== undefined && { endpoint: endpoints.sqs }),
    useQueueUrlAsEndpoint: false,
    md5: false,
  });
  return {
    dynamodb,
    sqs,
    close() {
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}

const THROTTLED = new Set(['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException']);

/**
 * DynamoDB's own metrics of throttled requests have no zeros, and CloudWatch keeps an alarm on them as it is while data is
 * missing: it would never clear. So throttled requests are counted here, below the SDK's retries.
 */
function watchThrottles(client: DynamoDBClient, onThrottled: (operation: string) => void): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = (context.commandName ?? '').replace(/Command$/, '');
      try {
        const result = await next(args);
        const { UnprocessedKeys = {} } = result.output as { readonly UnprocessedKeys?: object };
        if (Object.keys(UnprocessedKeys).length > 0) onThrottled(operation);
        return result;
      } catch (error) {
        if (error instanceof Error && THROTTLED.has(error.name)) onThrottled(operation);
        throw error;
      }
    },
    { step: 'deserialize', name: 'watchThrottles', priority: 'high' },
  );
}
