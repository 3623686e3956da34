import { randomUUID } from 'node:crypto';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfigText } from '../../cli/local/kubeconfig-text.ts';
import { loopbackIdentity } from '../../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../../lib/adapters/system/new-token.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import { describeClientNode } from './client-node.suite.ts';

async function listeningServer() {
  const server = new ApiServer({ clock: () => Date.now(), newUid: randomUUID, random: Math.random });
  return await server.listen({ token: newToken(), tls: loopbackIdentity(Date.now()) });
}

describeClientNode('@kubernetes/client-node against the embedded API server', async () => {
  const listening = await listeningServer();
  return { kubeconfig: kubeconfigText(listening), namespace: 'default', close: () => listening.close() };
});

describe('@kubernetes/client-node and the certificate of the embedded API server', () => {
  it('R-5.16 client-node refuses the server when the kubeconfig is of an earlier start', async () => {
    const [now, before] = [await listeningServer(), await listeningServer()];
    onTestFinished(async () => {
      await Promise.all([now.close(), before.close()]);
    });
    const config = new KubeConfig();
    const { certificateAuthority = '' } = before;
    config.loadFromString(kubeconfigText({ url: now.url, token: now.token, certificateAuthority }));
    await expect(config.makeApiClient(CoreV1Api).listNamespace()).rejects.toThrow(/certificate|fetch failed|CERT/i);
  });
});
