import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { staticToken, type TokenSource } from '../../lib/adapters/kubernetes/credentials/token-source.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport } from '../../lib/adapters/kubernetes/transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { describeClusterApi } from '../contract/cluster-api.contract.ts';
import { startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { serviceAccountToken } from '../real-apiserver/service-account-token.ts';

const clock = new SystemClock();

/** Retries when the server asks for it. The server does so for a moment after its history was compacted. */
function heedful(transport: Transport): Transport {
  return {
    async send(request) {
      for (;;) {
        const response = await transport.send(request);
        if (response.status !== 429) return response;
        await response.text();
        await clock.sleep(Number(response.headers['retry-after'] ?? 1) * 1_000, request.signal);
      }
    },
  };
}

const realServer = async () => {
  const server = await startRealApiServer();
  const { connection } = await loadKubeconfig({ file: server.kubeconfigPath, environment: {}, clock });
  const connect = (token: TokenSource | undefined) =>
    new HttpTransport({ connection: token === undefined ? connection : { ...connection, token } });
  const apiOver = (over: Transport) =>
    new KubernetesClusterApi({ transport: heedful(over), clock, userAgent: 'evenkeel-test', requestTimeoutMs: 60_000 });
  const transport = connect(connection.token);
  const strangerTransport = connect(staticToken(await serviceAccountToken(server, 'default', 'stranger')));
  return {
    transport: heedful(transport),
    api: apiOver(transport),
    stranger: apiOver(strangerTransport),
    withToken: (token: string) => connect(staticToken(token)),
    async expireHistory() {
      await server.compact();
    },
    async close() {
      await Promise.all([transport.close(), strangerTransport.close()]);
      await server.stop();
    },
  };
};

describeClusterApi('a real kube-apiserver', realServer, { authorizes: true });
