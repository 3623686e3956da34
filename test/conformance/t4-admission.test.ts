import { afterAll, beforeAll } from 'vitest';
import { describeT4Admission } from '../controllers/t4/admission.suite.ts';
import { T4_DEFINITIONS } from '../controllers/t4/definitions.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { installDefinition } from './install-definition.ts';

let server: ApiServer;
let namespace = '';

beforeAll(async () => {
  server = await sharedApiServer();
  for (const definition of T4_DEFINITIONS) await installDefinition(server, definition);
  const body = { metadata: { generateName: 't4-admission-' } };
  const created = await server.expectOk({ method: 'POST', path: '/api/v1/namespaces', body });
  namespace = created.json().metadata.name;
});

afterAll(async () => {
  await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  await server.disconnect();
});

describeT4Admission('the real API server', () => ({ namespace, send: (request) => server.request(request) }));
