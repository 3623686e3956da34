import { expect, it } from 'vitest';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { CustomResourceDefinitions, type ResourceType } from '../../../lib/core/resource-type.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import { area, eventually, manager, type World } from './world.ts';

const Planets: ResourceType = {
  group: 'space.evenkeel.dev',
  version: 'v1',
  plural: 'planets',
  kind: 'Planet',
  namespaced: false,
};

const name = { namespace: '', name: 'planets.space.evenkeel.dev' };

const definition: DesiredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: name.name },
  spec: {
    group: Planets.group,
    scope: 'Cluster',
    names: { plural: 'planets', singular: 'planet', kind: 'Planet' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const planet = { apiVersion: 'space.evenkeel.dev/v1', kind: 'Planet', metadata: { name: 'mars' }, moons: 2 };

async function removeDefinition(world: World): Promise<void> {
  const { metadata } = await world.api.get(CustomResourceDefinitions, name);
  await world.api.delete(CustomResourceDefinitions, name, { preconditions: { uid: metadata.uid } });
}

export const describeDefinitions = area('R-5.10 a kind that comes and goes', (world) => {
  it('is missing, then served without namespaces, then missing again with all its objects', async () => {
    const { api } = world();
    await expect(api.list(Planets)).rejects.toMatchObject({ reason: 'KindMissing' });
    await api.create(CustomResourceDefinitions, definition, manager);
    const created = await eventually(() => api.create(Planets, planet, manager));
    expect(created).toMatchObject({ moons: 2, metadata: { generation: 1 } });
    expect(created.metadata).not.toHaveProperty('namespace');

    const { resourceVersion } = await api.list(Planets);
    const watching = (async () => {
      const seen: string[] = [];
      for await (const { type } of api.watch(Planets, { resourceVersion, timeoutSeconds: 300 })) seen.push(type);
      return seen;
    })();
    await removeDefinition(world());
    await expect(watching).resolves.toContain('DELETED');
    await eventually(async () => {
      await expect(api.list(Planets)).rejects.toMatchObject({ reason: 'KindMissing' });
      await expect(api.get(CustomResourceDefinitions, name)).rejects.toMatchObject({ reason: 'NotFound' });
    });

    await api.create(CustomResourceDefinitions, definition, manager);
    await expect(eventually(() => api.list(Planets))).resolves.toMatchObject({ items: [] });
    await removeDefinition(world());
  });

  it('R-6.4 whose definition is wrong is refused', async () => {
    const spec = definition.spec as Record<string, unknown>;
    const wrong = { ...definition, spec: { ...spec, scope: 'Universe' } };
    const creating = world().api.create(CustomResourceDefinitions, wrong, manager);
    await expect(creating).rejects.toSatisfy((error) => isApiError(error, 'Invalid'));
  });
});
