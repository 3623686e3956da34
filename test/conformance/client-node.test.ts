import { describeClientNode } from '../apiserver/client-node.suite.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';

describeClientNode('@kubernetes/client-node against a real kube-apiserver', async () => {
  const server = await sharedApiServer();
  const body = { metadata: { generateName: 'client-node-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  const namespace = created.json().metadata.name;
  return {
    kubeconfig: server.kubeconfig,
    namespace,
    async close() {
      await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
      await server.disconnect();
    },
  };
});
