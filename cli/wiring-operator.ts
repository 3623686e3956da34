import { AwsJsonClient } from '../lib/adapters/aws/aws-json-client.ts';
import { type AwsClients, createAwsClients } from '../lib/adapters/aws/clients.ts';
import { SecretsManagerStore } from '../lib/adapters/aws/secrets-manager-store.ts';
import { SqsDeadLetters } from '../lib/adapters/aws/sqs-dead-letters.ts';
import { SsmParameterStore } from '../lib/adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../lib/adapters/aws/undici-request-handler.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import type { DeadLetters } from '../lib/ports/dead-letters.ts';
import type { ParameterStore } from '../lib/ports/parameter-store.ts';
import type { SecretStore } from '../lib/ports/secret-store.ts';

/** The number of parallel requests to each AWS service. */
const AWS_SOCKETS = 64;
const CONNECT_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** The AWS clients of a command. */
export interface OperatorCloud extends Disposable {
  readonly region: string;
  readonly dynamodbEndpoint: string;
  readonly clients: AwsClients;
  readonly parameters: ParameterStore;
  /** A client of SSM and one of Secrets Manager, which only some commands need. */
  readonly json: { readonly ssm: AwsJsonClient; readonly secretsManager: AwsJsonClient };
  readonly secrets: SecretStore;
  readonly deadLetters: DeadLetters;
  /** Service Quotas of the account. */
  readonly quotas: AwsJsonClient;
}

/** Connects with the settings of every AWS tool: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL, and so on. */
export function connectCloud(): OperatorCloud {
  const region = cloudRegion();
  const dynamodb = endpointOf('DYNAMODB');
  const sqs = endpointOf('SQS');
  const clients = createAwsClients({
    region,
    endpoints: { ...(dynamodb !== undefined && { dynamodb }), ...(sqs !== undefined && { sqs }) },
    maxSockets: AWS_SOCKETS,
  });
  const requestHandler = new UndiciRequestHandler({
    maxSockets: AWS_SOCKETS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  const json = (service: string, target: string, endpoint: string | undefined) =>
    new AwsJsonClient({
      service,
      target,
      region,
      ...(endpoint !== undefined && { endpoint }),
      credentials: () => clients.dynamodb.config.credentials(),
      requestHandler,
      userAgent: `evenkeel/${packageVersion()}`,
      clock: new SystemClock(),
    });
  const ssm = json('ssm', 'AmazonSSM', endpointOf('SSM'));
  const secretsManager = json('secretsmanager', 'secretsmanager', endpointOf('SECRETS_MANAGER'));
  return {
    region,
    json: { ssm, secretsManager },
    dynamodbEndpoint: dynamodb ?? `https://dynamodb.${region}.amazonaws.com`,
    clients,
    parameters: new SsmParameterStore(ssm),
    secrets: new SecretsManagerStore(secretsManager),
    deadLetters: new SqsDeadLetters(clients.sqs),
    quotas: json('servicequotas', 'ServiceQuotasV20190624', endpointOf('SERVICE_QUOTAS')),
    [Symbol.dispose]: () => {
      clients.close();
      requestHandler.destroy();
    },
  };
}

/** @throws EvenkeelError NO_REGION */
export function cloudRegion(): string {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION;
  if (region !== undefined && region !== '') return region;
  throw new EvenkeelError('NO_REGION', 'no AWS region is set. Set AWS_REGION, e.g. AWS_REGION=eu-central-1.');
}

/** As in the SDKs: the variable of the service has precedence over the general one. */
function endpointOf(service: string): string | undefined {
  return process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env.AWS_ENDPOINT_URL;
}
