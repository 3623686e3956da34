import { randomUUID } from 'node:crypto';
import { staticToken } from '../../lib/adapters/kubernetes/credentials/token-source.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport } from '../../lib/adapters/kubernetes/transport.ts';
import { newToken } from '../../lib/adapters/system/new-token.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import { type ClusterApiTarget, describeClusterApi } from './cluster-api.contract.ts';

const clock = new SystemClock();

function embeddedServer(): ApiServer {
  return new ApiServer({
    clock: () => clock.now(),
    newUid: randomUUID,
    random: Math.random,
    timers: {
      after(delayMs, task) {
        const timer = setTimeout(task, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
}

function target(server: ApiServer, transport: Transport, close: () => Promise<void>): ClusterApiTarget {
  return {
    transport,
    api: new KubernetesClusterApi({ transport, clock, userAgent: 'evenkeel-test', requestTimeoutMs: 60_000 }),
    expireHistory: async () => server.compact(),
    close,
  };
}

describeClusterApi('the embedded API server in process', async () => {
  const server = embeddedServer();
  return target(server, server, async () => undefined);
});

describeClusterApi('the embedded API server over HTTP', async () => {
  const server = embeddedServer();
  const { url, token, close } = await server.listen({ token: newToken() });
  const transport = new HttpTransport({ connection: { server: url, token: staticToken(token) } });
  return {
    ...target(server, transport, async () => {
      await transport.close();
      await close();
    }),
    withToken: (other) => new HttpTransport({ connection: { server: url, token: staticToken(other) } }),
  };
});
