import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SecretContractGrants, SecretContracts } from '../../lib/controllers/secret-contract/kinds.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { apiVersion, kindId, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import { CONTRACT_CASES, GRANT_CASES, UNCOMPILED_PATTERNS } from '../controllers/secret-contract/admission-cases.ts';
import { FakeContext } from '../controllers/secret-contract/fake-context.ts';
import { contractObject, deploymentObject, grantObject, secretObject } from '../controllers/secret-contract/objects.ts';
import { pass } from '../controllers/secret-contract/pass.ts';
import type { ApiResponse, ApiServer } from '../real-apiserver/connect-api-server.ts';
import { sharedApiServer } from '../real-apiserver/shared-api-server.ts';
import { until } from '../real-apiserver/until.ts';
import { withNamespace } from '../real-apiserver/with-namespace.ts';

interface Definition {
  readonly status?: { conditions?: { type: string; status: string; message: string }[] };
}

const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let server: ApiServer;

/** Other test files may install the same definition. */
async function install(type: ResourceType): Promise<void> {
  const file = new URL(`../../infra/kubernetes/crds/${kindId(type)}.yaml`, import.meta.url);
  const body = parse(await readFile(file, 'utf8')) as object;
  const created = await server.request({ method: 'POST', path: DEFINITIONS_PATH, body });
  if (created.status !== 409) expect(created.text).toContain('"kind":"CustomResourceDefinition"');
  await until(async () => {
    const path = `${DEFINITIONS_PATH}/${kindId(type)}`;
    const { status } = (await server.expectOk({ method: 'GET', path })).json<Definition>();
    const conditions = status?.conditions ?? [];
    expect(conditions.find(({ type: of }) => of === 'NonStructuralSchema')).toBeUndefined();
    return conditions.some(({ type: of, status: is }) => of === 'Established' && is === 'True');
  });
}

function create(type: ResourceType, namespace: string, spec: unknown): Promise<ApiResponse> {
  return server.request({
    method: 'POST',
    path: `/apis/${apiVersion(type)}/namespaces/${namespace}/${type.plural}`,
    body: { apiVersion: apiVersion(type), kind: type.kind, metadata: { generateName: 'case-' }, spec },
  });
}

async function judges(type: ResourceType, { spec }: KubeObject, fault: string | undefined): Promise<void> {
  const found = await withNamespace(server, (namespace) => create(type, namespace, spec));
  expect(found.status, found.text).toBe(fault === undefined ? 201 : 422);
  if (fault !== undefined) expect(found.json<{ message: string }>().message).toContain(fault);
}

beforeAll(async () => {
  server = await sharedApiServer();
  await Promise.all([install(SecretContracts), install(SecretContractGrants)]);
});

afterAll(async () => {
  await server.disconnect();
});

describe('the real API server', () => {
  it.each(CONTRACT_CASES)('R-6.4 judges a contract with $title: $verdict', async ({ spec, fault }) => {
    await judges(SecretContracts, contractObject({ spec }), fault);
  });

  it.each(GRANT_CASES)('R-2.11 judges a grant with $title: $verdict', async ({ spec, fault }) => {
    await judges(SecretContractGrants, grantObject(spec), fault);
  });

  it.each(UNCOMPILED_PATTERNS)('R-2.14 compiles none of 64 patterns such as %j', async (pattern) => {
    const keys = Array.from({ length: 64 }, (_, index) => ({ name: `key-${index}`, pattern }));
    // The pattern is invalid. A server that compiled it would refuse the object.
    await judges(SecretContracts, contractObject({ spec: { keys } }), undefined);
  });

  it('R-6.4 refuses a maxAge that is too long', async () => {
    await judges(SecretContracts, contractObject({ spec: { maxAge: '2562048h' } }), 'spec.maxAge: ');
  });

  it('R-1.14 takes every status that the controller publishes as it is', async () => {
    const full = new FakeContext();
    const values = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`key-${index}`, '']));
    full.put(Secrets, secretObject(values));
    const keys = Object.keys(values).map((name) => ({ name, format: 'JSON' }));
    const targets = [{ name: deploymentObject().metadata.name }];
    const contracts = [
      contractObject({ spec: { keys, targets, mutation: 'Annotate', maxAge: '721h' } }),
      contractObject({ spec: { externalSecretRef: { name: 'db' }, secretRef: { name: 'db', namespace: 'vault' } } }),
    ];
    await withNamespace(server, async (namespace) => {
      for (const contract of contracts) {
        const created = (await create(SecretContracts, namespace, contract.spec)).json();
        const { status } = await pass({ ...contract, metadata: { ...contract.metadata, generation: 1 } }, full);
        const path = `/apis/${apiVersion(SecretContracts)}/namespaces/${namespace}/secretcontracts/${created.metadata.name}/status`;
        const patched = (await server.expectOk({ method: 'PATCH', path, body: { status } })).json();
        expect(patched.status).toEqual(status);
      }
    });
  });
});
