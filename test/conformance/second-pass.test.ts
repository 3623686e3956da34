import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { eventually } from '../contract/cluster-api/world.ts';
import { describeSecondPass } from '../contract/second-pass.contract.ts';
import { startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { WIDGET_DEFINITION, Widgets } from '../support/widget.ts';

const clock = new SystemClock();

describeSecondPass('a real kube-apiserver', async () => {
  const server = await startRealApiServer();
  const { connection } = await loadKubeconfig({ file: server.kubeconfigPath, environment: {}, clock });
  const transport = new HttpTransport({ connection });
  const apiOf = (userAgent: string) =>
    new KubernetesClusterApi({ transport, clock, userAgent, requestTimeoutMs: 60_000 });
  const user = apiOf('test');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.expectOk({ method: 'POST', path, body: WIDGET_DEFINITION });
  await eventually(() => user.list(Widgets));
  return {
    api: apiOf('evenkeel'),
    user,
    async namespace() {
      const body = { metadata: { generateName: 'second-pass-' } };
      const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
      return created.json().metadata.name;
    },
    async close() {
      await transport.close();
      await server.stop();
    },
  };
});
