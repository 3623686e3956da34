import { randomUUID } from 'node:crypto';
import { embeddedCluster } from '../support/embedded-cluster.ts';
import type { FaultTarget } from './world.ts';

/** The embedded API server as a cluster for the relay's suites. */
export async function embeddedTarget(): Promise<FaultTarget> {
  const cluster = await embeddedCluster();
  const { server, url, token } = cluster;
  return {
    ...cluster,
    upstream: { url, caPem: cluster.certificateAuthority, token },
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
}
