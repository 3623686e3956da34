import { EKSClient } from '@aws-sdk/client-eks';
import { AwsAccount } from '../lib/adapters/aws/aws-account.ts';
import { DynamoDbClusterUseStore } from '../lib/adapters/aws/dynamodb-cluster-use-store.ts';
import { DynamoDbStateStore } from '../lib/adapters/aws/dynamodb-state-store.ts';
import { DynamoDbTable } from '../lib/adapters/aws/dynamodb-table.ts';
import { EksAccessEntries } from '../lib/adapters/aws/eks-access-entries.ts';
import { HttpTransport } from '../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { OpenApiSchemas } from '../lib/adapters/kubernetes/open-api-schemas.ts';
import { SelfAccessReviewer } from '../lib/adapters/kubernetes/self-access-reviewer.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { parseClusterParameter } from '../lib/deployment/cloud/cluster-parameter.ts';
import { TABLE_SHARDS, tableName } from '../lib/deployment/installation/resource-names.ts';
import { packageVersion } from '../lib/deployment/package/package-root.ts';
import { cloudConnection } from '../lib/deployment/wiring-cloud-connection.ts';
import type { DoctorTools } from './doctor/examine-stage.ts';
import { connectCloud } from './wiring-operator.ts';
import { openStack } from './wiring-stack.ts';

/** Opens the clients of the doctor, with the usual AWS settings. */
export function openDoctor(stage: string): DoctorTools & AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const cloud = opened.use(connectCloud());
  const clock = new SystemClock();
  const { stack } = opened.use(openStack(stage));
  const { clients, region, parameters, secrets, deadLetters } = cloud;
  const table = { client: clients.dynamodb, tableName: tableName(stage), clock };
  return {
    account: new AwsAccount(clients.dynamodb, cloud.dynamodbEndpoint, cloud.quotas, clock),
    stack,
    letters: deadLetters,
    parameters,
    secrets,
    store: new DynamoDbStateStore({ ...table, shards: TABLE_SHARDS }),
    uses: new DynamoDbClusterUseStore(new DynamoDbTable(table)),
    region,
    accessEntries: (eksRegion) => {
      const client = new EKSClient({ region: eksRegion });
      opened.defer(() => client.destroy());
      return new EksAccessEntries(client);
    },
    clock,
    reach: (parameter, identity) => {
      const cluster = parseClusterParameter(parameter, region);
      const connection = cloudConnection(cluster, {
        stage,
        identity,
        secrets,
        credentials: () => clients.dynamodb.config.credentials(),
        awsEndpoint: process.env.AWS_ENDPOINT_URL,
        clock,
      });
      const transport = new HttpTransport({ connection });
      opened.defer(() => transport.close());
      return {
        api: new KubernetesClusterApi({ transport, clock, userAgent: `evenkeel/${packageVersion()} doctor` }),
        access: new SelfAccessReviewer(transport, clock),
        schemas: new OpenApiSchemas(transport, clock),
        asMyself: cluster.auth.type === 'eks',
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
