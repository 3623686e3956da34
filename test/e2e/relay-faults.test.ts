import { randomUUID } from 'node:crypto';
import { describeRelayFaults } from './relay-faults.suite.ts';
import { embeddedCluster } from './support/embedded-cluster.ts';

describeRelayFaults('a relay in trouble on the embedded API server', async () => {
  const cluster = await embeddedCluster();
  const { server } = cluster;
  return {
    ...cluster,
    upstream: { url: cluster.url },
    relayToken: async () => randomUUID(),
    forbid: async ({ group, plural }) => {
      const permit = server.deny({ group, resource: plural, userAgent: 'evenkeel/test relay' });
      return async () => permit();
    },
    snapshot: async () => {
      const backup = server.snapshot();
      return async () => server.restore(backup);
    },
  };
});
