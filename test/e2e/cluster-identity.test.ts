import { describeClusterIdentity } from './cluster-identity.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeClusterIdentity('another cluster at the endpoint: embedded API servers', async () => {
  const cluster = await embeddedCluster();
  return { ...cluster, upstream: { url: cluster.url, token: cluster.token } };
});
