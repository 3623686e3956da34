import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigText } from '../../../cli/local/kubeconfig-text.ts';
import { connectCluster } from '../../../lib/adapters/kubernetes/connect-cluster.ts';
import { staticToken } from '../../../lib/adapters/kubernetes/credentials/token-source.ts';
import { loopbackIdentity } from '../../../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../../../lib/adapters/system/new-token.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../../lib/adapters/system/system-entropy.ts';
import { ApiServer } from '../../../lib/apiserver/api-server.ts';
import { prepareUserCluster } from './prepare-user-cluster.ts';
import type { TestCluster } from './test-cluster.ts';

export interface EmbeddedCluster extends TestCluster {
  readonly server: ApiServer;
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
}

/** A cluster on the embedded API server, over HTTP. It knows no identities: anyone with the token may do everything. */
export async function embeddedCluster(): Promise<EmbeddedCluster> {
  const clock = new SystemClock();
  const entropy = new SystemEntropy();
  const server = new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
    timers: {
      after: (delayMs, task) => {
        const timer = setTimeout(task, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
  const { close, ...served } = await server.listen({ token: newToken(), tls: loopbackIdentity(clock.now()) });
  const { url, token, certificateAuthority = '' } = served;
  const connection = { server: url, certificateAuthority, token: staticToken(token) };
  const user = connectCluster({ connection, userAgent: 'test', clock });
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-cluster-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(served));
  await prepareUserCluster(user.api);
  return {
    server,
    url,
    certificateAuthority,
    token,
    kubeconfig,
    user: user.api,
    connection: async () => connection,
    mark: async () => ({ position: server.requests.records.length }),
    requestsSince: async ({ position }) =>
      server.requests.records
        .slice(position)
        .filter(({ userAgent }) => userAgent.startsWith('evenkeel/'))
        .map(({ verb, group, resource, subresource, namespace, name, userAgent, status }) => {
          const kind = group === '' ? resource : `${resource}.${group}`;
          const whole = subresource === '' ? kind : `${kind}/${subresource}`;
          return { verb, resource: whole, namespace, name, userAgent, status };
        }),
    expireHistory: async () => server.compact(),
    async [Symbol.asyncDispose]() {
      await user.close();
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
