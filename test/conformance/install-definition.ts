import { expect } from 'vitest';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import type { ApiServer } from '../real-apiserver/connect-api-server.ts';
import { until } from '../real-apiserver/until.ts';

interface Definition {
  readonly status?: { conditions?: { type: string; status: string; message: string }[] };
}

const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Installs a definition, unless another test file did. Waits until the real server serves it and reports no error in
 * it.
 */
export async function installDefinition(server: ApiServer, definition: DesiredObject): Promise<void> {
  const created = await server.request({ method: 'POST', path: DEFINITIONS_PATH, body: definition });
  if (created.status !== 409) expect(created.text).toContain('"kind":"CustomResourceDefinition"');
  await until(async () => {
    const path = `${DEFINITIONS_PATH}/${definition.metadata.name}`;
    const { status } = (await server.expectOk({ method: 'GET', path })).json<Definition>();
    const conditions = status?.conditions ?? [];
    expect(conditions.find(({ type: of }) => of === 'NonStructuralSchema')).toBeUndefined();
    return conditions.some(({ type: of, status: is }) => of === 'Established' && is === 'True');
  });
}
