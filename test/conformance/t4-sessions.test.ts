import { afterAll, beforeAll } from 'vitest';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { HttpTransport } from '../../lib/adapters/kubernetes/http-transport.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { ApiServer } from '../apiserver/connect-api-server.ts';
import { sharedApiServer } from '../apiserver/shared-api-server.ts';
import { T4_DEFINITIONS } from '../controllers/t4/definitions.ts';
import { describeSessionChecks } from '../controllers/t4/session-checks.suite.ts';
import { T4Fixture } from '../controllers/t4/t4-fixture.ts';
import { installDefinition } from './install-definition.ts';

let server: ApiServer;
let transport: HttpTransport;

beforeAll(async () => {
  server = await sharedApiServer();
  for (const definition of T4_DEFINITIONS) await installDefinition(server, definition);
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

/** In a namespace of its own; StorageClasses lie in none, and are named by it. */
async function newFixture(): Promise<T4Fixture> {
  const body = { metadata: { generateName: 't4-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  const { name } = created.json().metadata;
  return T4Fixture.on(transport, { namespace: name, storageClass: name });
}

async function dispose({ place }: T4Fixture): Promise<void> {
  const classes = '/apis/storage.k8s.io/v1/storageclasses';
  for (const name of [place.storageClass, `${place.storageClass}-2`]) {
    await server.request({ method: 'DELETE', path: `${classes}/${name}` });
  }
  await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${place.namespace}` });
}

describeSessionChecks('the real API server', newFixture, dispose);
