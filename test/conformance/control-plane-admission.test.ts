import { afterAll, beforeAll } from 'vitest';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { describeControlPlaneAdmission } from '../controllers/control-plane/admission.suite.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { CONTROL_PLANE_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { installDefinition } from './install-definition.ts';

let server: ApiServer;
let namespace = '';

beforeAll(async () => {
  server = await sharedApiServer();
  for (const definition of CONTROL_PLANE_DEFINITIONS) await installDefinition(server, definition as DesiredObject);
  const body = { metadata: { generateName: 'control-plane-admission-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  namespace = created.json().metadata.name;
});

afterAll(async () => {
  await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  await server.disconnect();
});

describeControlPlaneAdmission('the real API server', () => ({ namespace, send: (request) => server.request(request) }));
