import type { ApiServer } from './connect-api-server.ts';

/**
 * Runs a test in a new namespace of a name that nobody else has, and deletes it afterwards. The namespace is not gone
 * yet when this resolves: its controller waits five seconds before it empties one.
 */
export async function withNamespace<T>(server: ApiServer, run: (namespace: string) => Promise<T>): Promise<T> {
  const created = await server.expectOk({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { generateName: 'test-' } },
  });
  const namespace = created.json().metadata.name;
  try {
    return await run(namespace);
  } finally {
    await server.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  }
}
