import { describeClusterIdentity } from '../e2e/cluster-identity.suite.ts';
import { realCluster } from './real-cluster.ts';

describeClusterIdentity('another cluster at the endpoint: real kube-apiservers', async () => {
  const cluster = await realCluster();
  const { url, caPem, adminToken } = cluster.server;
  return { ...cluster, upstream: { url, caPem, token: adminToken } };
});
