import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { AwsJsonClient } from '../adapters/aws/aws-json-client.ts';
import { createAwsClients } from '../adapters/aws/clients.ts';
import { SsmParameterStore } from '../adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../adapters/aws/undici-request-handler.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { clusterParametersPath } from './cloud/cloud-names.ts';
import { clusterNameOf } from './cloud/cluster-parameter.ts';

const TIMEOUTS = { connectTimeoutMs: 5_000, requestTimeoutMs: 10_000 };

/** The region and the credentials for a deployment. */
export interface DeployerConfig {
  readonly region: string;
  readonly credentials: NonNullable<DynamoDBClientConfig['credentials']>;
}

/** The names of the clusters that are registered in a stage, sorted. @throws InfrastructureError */
export async function stageClusters(stage: string, { region, credentials }: DeployerConfig): Promise<string[]> {
  // The client resolves every form of credentials that the SDK accepts.
  const clients = createAwsClients({ region, credentials, maxSockets: 1 });
  const requestHandler = new UndiciRequestHandler({ maxSockets: 1, ...TIMEOUTS });
  const endpoint = process.env.AWS_ENDPOINT_URL_SSM ?? process.env.AWS_ENDPOINT_URL;
  try {
    const client = new AwsJsonClient({
      service: 'ssm',
      target: 'AmazonSSM',
      region,
      ...(endpoint !== undefined && { endpoint }),
      credentials: () => clients.dynamodb.config.credentials(),
      requestHandler,
      userAgent: 'evenkeel',
      clock: new SystemClock(),
    });
    return (await new SsmParameterStore(client).list(clusterParametersPath(stage))).map(clusterNameOf).sort();
  } finally {
    clients.close();
    requestHandler.destroy();
  }
}
