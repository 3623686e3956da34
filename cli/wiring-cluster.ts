import { EKSClient } from '@aws-sdk/client-eks';
import { DynamoDbClusterUseStore } from '../lib/adapters/aws/dynamodb-cluster-use-store.ts';
import { DynamoDbStateStore } from '../lib/adapters/aws/dynamodb-state-store.ts';
import { DynamoDbTable } from '../lib/adapters/aws/dynamodb-table.ts';
import { EksAccessEntries } from '../lib/adapters/aws/eks-access-entries.ts';
import { SecretsManagerWriter } from '../lib/adapters/aws/secrets-manager-writer.ts';
import { SsmParameterWriter } from '../lib/adapters/aws/ssm-parameter-writer.ts';
import { ClusterAdministrator } from '../lib/adapters/kubernetes/cluster-administrator.ts';
import { HttpTransport } from '../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { parseClusterParameter } from '../lib/deployment/cloud/cluster-parameter.ts';
import { TABLE_SHARDS, tableName } from '../lib/deployment/installation/resource-names.ts';
import type { ClusterPlace } from '../lib/deployment/kubernetes/cluster-unusable.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { cloudConnection } from '../lib/deployment/wiring-cloud-connection.ts';
import type { ContextCluster, StageTools } from './cluster/cluster-tools.ts';
import type { Invocation } from './command.ts';
import { kubeconfigOf, placeOf, systemClock } from './wiring.ts';
import { connectCloud } from './wiring-operator.ts';
import { openStack } from './wiring-stack.ts';

/** A stage with the clients of a person who registers its clusters, with the usual AWS settings. */
export function openStageTools(
  stage: string,
  { secretsKey }: { secretsKey?: string | undefined } = {},
): StageTools & AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const { clients, region, parameters, secrets, json } = opened.use(connectCloud());
  const { stack } = opened.use(openStack(stage));
  const table = { client: clients.dynamodb, tableName: tableName(stage), clock: systemClock };
  return {
    stage,
    region,
    parameters,
    parameterWriter: new SsmParameterWriter(json.ssm),
    secrets,
    secretWriter: new SecretsManagerWriter(json.secretsManager, secretsKey),
    accessEntries: (eksRegion) => {
      const client = new EKSClient({ region: eksRegion });
      opened.defer(() => client.destroy());
      return new EksAccessEntries(client);
    },
    stack,
    store: new DynamoDbStateStore({ ...table, shards: TABLE_SHARDS }),
    uses: new DynamoDbClusterUseStore(new DynamoDbTable(table)),
    clock: systemClock,
    reach: (parameter, identity) => {
      const connection = cloudConnection(parseClusterParameter(parameter, region), {
        stage,
        identity,
        secrets,
        credentials: () => clients.dynamodb.config.credentials(),
        awsEndpoint: process.env.AWS_ENDPOINT_URL,
        clock: systemClock,
      });
      const transport = new HttpTransport({ connection });
      opened.defer(() => transport.close());
      return new KubernetesClusterApi({ transport, clock: systemClock, userAgent: userAgent() });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Connects to the cluster of the options, as the user of its context. */
export async function connectContext(
  invocation: Invocation,
): Promise<ContextCluster & { readonly place: ClusterPlace } & AsyncDisposable> {
  const kubeconfig = await kubeconfigOf({ file: invocation.text('kubeconfig'), context: invocation.text('context') });
  const { connection, context, file } = kubeconfig;
  const transport = new HttpTransport({ connection });
  const options = { transport, clock: systemClock, userAgent: userAgent() };
  return {
    api: new KubernetesClusterApi(options),
    administration: new ClusterAdministrator(options),
    server: connection.server,
    certificateAuthority: connection.certificateAuthority,
    tlsServerName: connection.tlsServerName,
    context,
    file,
    place: placeOf(kubeconfig),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

function userAgent(): string {
  return `evenkeel/${packageVersion()} cluster`;
}
