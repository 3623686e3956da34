import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { createObjects } from '../../../lib/deployment/kubernetes/create-objects.ts';
import { bundledDefinitions, exampleObjects } from '../../../lib/deployment/package/manifests.ts';
import { World } from '../../../lib/testing/world.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const folders = readdirSync(EXAMPLES).filter((name) => name !== 'settings');
const isManifest = (name: string) => /\.ya?ml$/.test(name);
const nested = folders.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, EXAMPLES), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`),
);

describe('the examples', () => {
  it.each([...folders, ...nested])('R-6.4 kubectl apply -f takes examples/%s: it holds objects alone', (folder) => {
    const files = readdirSync(new URL(`${folder}/`, EXAMPLES)).filter(isManifest);
    const objects = exampleObjects([folder]);
    expect(objects.length).toBeGreaterThanOrEqual(files.length);
  });

  it('R-6.4 what needs more than a bare cluster is in a folder of its own, and not created at the start', () => {
    expect(nested.filter((name) => !/\/needs-[a-z-]+$/.test(name))).toEqual([]);
    expect(exampleObjects(folders).map(({ kind }) => kind)).not.toContain('ManagedDatabase');
    const names = exampleObjects(['secret-contract']).map(({ metadata }) => metadata.name);
    expect(names).not.toContain('ingress-certificate');
  });
});

describe('createObjects', () => {
  it('creates an object as kubectl apply does, so that applying its file later warns of nothing', async () => {
    const world = new World({ controllers: [] });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '1' } };
    await createObjects(world.api, [object], bundledDefinitions());
    const created: KubeObject = await world.user.get(ConfigMaps, { namespace: 'default', name: 'one' });
    const text = created.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? 'null';
    expect(JSON.parse(text)).toEqual({ ...object, metadata: { namespace: 'default', name: 'one' } });
  });
});
