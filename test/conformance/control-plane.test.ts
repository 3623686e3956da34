import { afterAll, beforeAll } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import type { Transport } from '../../lib/adapters/kubernetes/transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import type { ApiServer } from '../apiserver/connect-api-server.ts';
import { sharedApiServer } from '../apiserver/shared-api-server.ts';
import { controlPlaneWorld } from '../controllers/control-plane/control-plane-world.ts';
import { describeLifecycle } from '../controllers/control-plane/lifecycle.suite.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { installDefinition } from './install-definition.ts';

let server: ApiServer;
let transport: HttpTransport;

beforeAll(async () => {
  server = await sharedApiServer();
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
  await server.disconnect();
});

/** In a namespace of its own, with evenkeel's writes counted. */
describeLifecycle('the real API server', async () => {
  const body = { metadata: { generateName: 'control-plane-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  const namespace = created.json().metadata.name;
  const writes: string[] = [];
  const counting: Transport = {
    send: (request) => {
      if (request.method !== 'GET' && request.headers['user-agent'] === 'evenkeel') {
        writes.push(`${request.method} ${request.path}`);
      }
      return transport.send(request);
    },
  };
  return {
    control: await controlPlaneWorld({ on: { transport: counting, namespace } }),
    writes: () => writes,
    close: async () => {
      await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    },
  };
});
