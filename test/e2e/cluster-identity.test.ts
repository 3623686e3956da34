import { describeClusterIdentity } from './cluster-identity.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeClusterIdentity('another cluster at the endpoint: embedded API servers', async () => {
  const cluster = await embeddedCluster();
  const { url, certificateAuthority, token } = cluster;
  return { ...cluster, upstream: { url, caPem: certificateAuthority, token } };
});
