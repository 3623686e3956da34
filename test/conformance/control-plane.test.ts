import { afterAll, beforeAll } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import type { OpenCluster } from '../controllers/control-plane/cluster-run.ts';
import { controlPlaneWorld } from '../controllers/control-plane/control-plane-world.ts';
import { describeLifecycle } from '../controllers/control-plane/lifecycle.suite.ts';
import { describeReadingFaults } from '../controllers/control-plane/reading-faults.suite.ts';
import { describeWriteFaults } from '../controllers/control-plane/write-faults.suite.ts';
import { type RealApiServer, startRealApiServer } from '../real-apiserver/real-api-server.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { TransportFaults } from '../support/transport-faults.ts';
import { installDefinition } from './install-definition.ts';

/** A server of its own, because the simulated operators write the status of every Deployment on it. */
let server: RealApiServer;
let transport: HttpTransport;

beforeAll(async () => {
  server = await startRealApiServer();
  for (const definition of [...CONTROL_PLANE_DEFINITIONS, ...PROVIDER_DEFINITIONS]) {
    await installDefinition(server, definition as DesiredObject);
  }
  const { connection } = await loadKubeconfig({
    file: server.kubeconfigPath,
    environment: {},
    clock: new SystemClock(),
  });
  transport = new HttpTransport({ connection });
});

afterAll(async () => {
  await transport.close();
  await server.stop();
});

/** Each cluster is a namespace of its own. */
const realCluster: OpenCluster = async ({ wrapIdentity } = {}) => {
  const body = { metadata: { generateName: 'control-plane-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  const namespace = created.json().metadata.name;
  const faults = new TransportFaults(transport);
  return {
    control: await controlPlaneWorld({
      on: { transport, namespace },
      wrapTransport: () => faults,
      ...(wrapIdentity !== undefined && { wrapIdentity }),
    }),
    faults,
    close: async () => {
      await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    },
  };
};

describeLifecycle('the real API server', realCluster);
describeReadingFaults('the real API server', realCluster);
describeWriteFaults('the real API server', realCluster);
