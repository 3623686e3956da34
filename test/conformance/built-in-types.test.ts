import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { DOCUMENTS, type Schemas, typeModules } from './built-in-types/type-modules.ts';

const GENERATED = join(import.meta.dirname, '..', '..', 'lib', 'kit', 'built-in', 'generated');

/** With `-u` the test writes the modules, after a change of the version of Kubernetes or of the schemas that are read. */
it('R-6.9 the types of built-in kinds equal the schemas that the real API server publishes', async () => {
  const server = await sharedApiServer();
  const documents = await Promise.all(
    DOCUMENTS.map((path) => server.expectOk({ method: 'GET', path: `/openapi/v3/${path}` })),
  );
  await server.disconnect();
  const schemas = documents.map((each) => each.json<{ components: { schemas: Schemas } }>().components.schemas);
  const modules = typeModules(Object.assign({}, ...schemas));
  for (const [file, text] of modules) await expect(text).toMatchFileSnapshot(join(GENERATED, file));
  expect(readdirSync(GENERATED).sort()).toEqual([...modules.keys()].sort());
});
