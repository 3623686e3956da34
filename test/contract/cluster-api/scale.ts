import { expect, it } from 'vitest';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { CustomResourceDefinitions } from '../../../lib/core/resource-type.ts';
import { area, eventually, manager, type World } from './world.ts';

const group = 'scale.evenkeel.dev';

const definition: DesiredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `flocks.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'flocks', singular: 'flock', kind: 'Flock' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size.birds',
            statusReplicasPath: '.status.birds',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };

/** One object of each kind that scales, and the path of its collection. */
async function scaled(world: World): Promise<readonly { kind: string; path: string; selector: string }[]> {
  const namespace = await world.namespace();
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const flocks = `/apis/${group}/v1/namespaces/${namespace}/flocks`;
  await world.api.create(CustomResourceDefinitions, definition, manager).catch(() => undefined);
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
  for (const [kind, plural] of [
    ['Deployment', 'deployments'],
    ['ReplicaSet', 'replicasets'],
  ] as const) {
    const body = { apiVersion: 'apps/v1', kind, metadata: { name: 'a' }, spec };
    expect((await world.raw('POST', `${apps}/${plural}`, body)).status).toBe(201);
  }
  await eventually(async () => {
    const flock = { apiVersion: `${group}/v1`, kind: 'Flock', metadata: { name: 'a' }, spec: { size: { birds: 2 } } };
    expect((await world.raw('POST', flocks, flock)).status).toBe(201);
  });
  const status = { status: { birds: 7, selector: 'kind=goose' } };
  const type = { 'content-type': 'application/merge-patch+json' };
  expect((await world.raw('PATCH', `${flocks}/a/status`, status, type)).status).toBe(200);
  return [
    { kind: 'Deployment', path: `${apps}/deployments/a`, selector: 'app=web' },
    { kind: 'ReplicaSet', path: `${apps}/replicasets/a`, selector: 'app=web' },
    { kind: 'Flock', path: `${flocks}/a`, selector: 'kind=goose' },
  ];
}

export const describeScale = area('R-6.2 the scale subresource', (world) => {
  it('shows and sets the replicas of an object, by update and by patch', async () => {
    for (const { kind, path, selector } of await scaled(world())) {
      const before = await world().raw('GET', path);
      const { json: scale } = await world().raw('GET', `${path}/scale`);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = before.json.metadata;
      expect(scale, kind).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 2 },
        status: { replicas: kind === 'Flock' ? 7 : 0, selector },
      });
      const updated = await world().raw('PUT', `${path}/scale`, { ...scale, spec: { replicas: 5 } });
      expect(updated, kind).toMatchObject({ status: 200, json: { kind: 'Scale', spec: { replicas: 5 } } });
      expect(updated.json.metadata.resourceVersion).not.toBe(resourceVersion);
      expect((await world().raw('GET', path)).json.metadata.managedFields, kind).toContainEqual(
        expect.objectContaining({ subresource: 'scale', operation: 'Update', manager: 'contract' }),
      );
      const merge = { 'content-type': 'application/merge-patch+json' };
      const patched = await world().raw('PATCH', `${path}/scale`, { spec: { replicas: 0 } }, merge);
      expect(patched, kind).toMatchObject({ status: 200, json: { kind: 'Scale' } });
      expect(patched.json.spec).toEqual({});
      const operations = [{ op: 'add', path: '/spec/replicas', value: 3 }];
      const type = { 'content-type': 'application/json-patch+json' };
      expect((await world().raw('PATCH', `${path}/scale`, operations, type)).json.spec).toEqual({ replicas: 3 });
      const after = await world().raw('GET', path);
      expect(after.json.spec, kind).toMatchObject(kind === 'Flock' ? { size: { birds: 3 } } : { replicas: 3 });
      expect(after.json.metadata.generation, kind).toBe(before.json.metadata.generation + 3);
    }
  });

  it('refuses what is no number of replicas, a stale version, another object, and an absent one', async () => {
    for (const { kind, path } of await scaled(world())) {
      const { json: scale } = await world().raw('GET', `${path}/scale`);
      const put = (change: object) => world().raw('PUT', `${path}/scale`, { ...scale, ...change });
      expect(await put({ spec: { replicas: -1 } }), kind).toMatchObject({ status: 422, json: { reason: 'Invalid' } });
      expect(await put({ spec: { replicas: 'x' } }), kind).toMatchObject({ status: 400 });
      expect(await put({ spec: { replicas: 3_000_000_000 } }), kind).toMatchObject({ status: 400 });
      expect(await put({ metadata: { ...scale.metadata, name: 'b' } }), kind).toMatchObject({ status: 400 });
      expect(await put({ spec: { replicas: 4 } }), kind).toMatchObject({ status: 200 });
      expect(await put({ spec: { replicas: 5 } }), kind).toMatchObject({ status: 409, json: { reason: 'Conflict' } });
      const absent = path.replace(/a$/, 'absent');
      expect(await world().raw('GET', `${absent}/scale`), kind).toMatchObject({ status: 404 });
      expect((await world().raw('DELETE', `${path}/scale`)).status, kind).toBe(405);
    }
  });

  it('of a kind that declares none is not there', async () => {
    const namespace = await world().namespace();
    await world().createGadget(namespace, 'a');
    const gadgets = `/apis/contract.evenkeel.dev/v1/namespaces/${namespace}/gadgets`;
    expect((await world().raw('GET', `${gadgets}/a/scale`)).status).toBe(404);
    await world().createConfigMap(namespace, 'a');
    expect((await world().raw('GET', `/api/v1/namespaces/${namespace}/configmaps/a/scale`)).status).toBe(404);
  });

  it('is named by discovery with its kind', async () => {
    await scaled(world());
    await eventually(async () => {
      for (const [root, name] of [
        ['/apis/apps/v1', 'deployments/scale'],
        [`/apis/${group}/v1`, 'flocks/scale'],
      ]) {
        const { json } = await world().raw('GET', root ?? '');
        expect(json.resources).toContainEqual(
          expect.objectContaining({ name, group: 'autoscaling', version: 'v1', kind: 'Scale', namespaced: true }),
        );
      }
    });
  });
});
