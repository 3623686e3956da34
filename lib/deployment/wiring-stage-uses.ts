import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { AwsJsonClient } from '../adapters/aws/aws-json-client.ts';
import { createAwsClients } from '../adapters/aws/clients.ts';
import { SsmParameterStore } from '../adapters/aws/ssm-parameter-store.ts';
import { UndiciRequestHandler } from '../adapters/aws/undici-request-handler.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { InfrastructureError } from '../core/errors.ts';
import type { ClusterUse } from '../ports/cluster-use-store.ts';
import { clusterParametersPath } from './cloud/cloud-names.ts';
import { clusterNameOf } from './cloud/cluster-parameter.ts';
import { tableName } from './installation/resource-names.ts';
import { openTable } from './wiring-table.ts';

const TIMEOUTS = { connectTimeoutMs: 5_000, requestTimeoutMs: 10_000 };

/** The region and the credentials for a deployment. */
export interface DeployerConfig {
  readonly region: string;
  readonly credentials: NonNullable<DynamoDBClientConfig['credentials']>;
}

/** What the clusters of a stage have of it. */
export interface StageUses {
  /** The names of the registered clusters, sorted. */
  readonly registered: readonly string[];
  /** What the relays recorded, of clusters that were taken out too. Empty when the stage has no table. */
  readonly uses: readonly ClusterUse[];
}

/** Reads which clusters are registered in a stage, and what each one has of it. @throws InfrastructureError */
export async function readStageUses(stage: string, { region, credentials }: DeployerConfig): Promise<StageUses> {
  // The client resolves every form of credentials that the SDK accepts.
  const clients = createAwsClients({ region, credentials, maxSockets: 1 });
  const requestHandler = new UndiciRequestHandler({ maxSockets: 1, ...TIMEOUTS });
  const endpoint = process.env.AWS_ENDPOINT_URL_SSM ?? process.env.AWS_ENDPOINT_URL;
  const clock = new SystemClock();
  try {
    const client = new AwsJsonClient({
      service: 'ssm',
      target: 'AmazonSSM',
      region,
      ...(endpoint !== undefined && { endpoint }),
      credentials: () => clients.dynamodb.config.credentials(),
      requestHandler,
      userAgent: 'evenkeel',
      clock,
    });
    const parameters = await new SsmParameterStore(client).list(clusterParametersPath(stage));
    const { uses } = openTable({ client: clients.dynamodb, tableName: tableName(stage), clock });
    return { registered: parameters.map(clusterNameOf).sort(), uses: await orEmpty(() => uses.list()) };
  } finally {
    clients.close();
    requestHandler.destroy();
  }
}

/** A stage whose table was deleted has no records. */
async function orEmpty(list: () => Promise<ClusterUse[]>): Promise<ClusterUse[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof InfrastructureError && error.data.error === 'ResourceNotFoundException') return [];
    throw error;
  }
}
