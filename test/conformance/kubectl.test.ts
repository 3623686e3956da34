import { describeKubectl } from '../apiserver/kubectl.suite.ts';
import { Kubectl } from '../apiserver/kubectl.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';

describeKubectl('kubectl against a real kube-apiserver', async () => {
  const server = await sharedApiServer();
  const body = { metadata: { generateName: 'kubectl-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  const namespace = created.json().metadata.name;
  const kubectl = await Kubectl.with(server.kubeconfigPath);
  await kubectl.run(['config', 'set-context', '--current', `--namespace=${namespace}`]);
  const mark = await server.auditMark();
  return {
    kubectl,
    namespace,
    async deletions(name) {
      const entries = await server.auditEntries(mark);
      return entries.filter(({ verb, objectRef }) => verb === 'delete' && objectRef?.name === name).length;
    },
    async close() {
      await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
      await kubectl.remove();
      await server.disconnect();
    },
  };
});
