import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { UndiciRequestHandler } from './undici-request-handler.ts';

export interface AwsClientOptions {
  readonly region: string;
  /** Replace AWS' own endpoints: for embedded parts or an emulator. */
  readonly endpoints?: { readonly dynamodb?: string; readonly sqs?: string };
  /** Default: the credential chain of the SDK (a function's role, a profile, ...). */
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
  /** Connections to each service. There must be one for each parallel request, long polls included. */
  readonly maxSockets: number;
  /** Called for each request to DynamoDB that was throttled, retries included. @param operation e.g. `UpdateItem`. */
  readonly onThrottled?: (operation: string) => void;
}

export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** Both services usually answer in milliseconds, and a pass has 20 s. Long polls have a limit of their own. */
const REQUEST_TIMEOUT_MS = 4_000;
const MAX_ATTEMPTS = 3;

/**
 * Creates the clients of one process. It fixes what the SDK would otherwise look up or compute without use: modes,
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
 * Counts throttled requests below the SDK's retries, because DynamoDB's own metrics of throttled requests have no
 * zeros. CloudWatch does not change an alarm while data is missing, so an alarm on them would never clear.
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
