import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownControllers } from '../../../lib/deployment/author/own-controllers.ts';
import { installedRegistry } from '../../../lib/deployment/installation/installed-registry.ts';
import { settingsOf } from '../../../lib/deployment/settings/load-settings.ts';

const KIND = 'banners.example.com';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-rollout-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The source of a module with one version of a controller, whose kind has a spec of this schema. */
function moduleOf(version: string, spec: object): string {
  const type = { group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const versions = [
    { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
  ];
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: KIND },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'banners', kind: 'Banner' }, versions },
  };
  const controller = { name: 'banner', group: 'banner', type, owns: [], reads: [], version };
  return `export const controllers = [{ ...${JSON.stringify(controller)}, reconcile: async () => ({ outcome: { type: 'settled' } }) }];
    export const definitions = [${JSON.stringify(definition)}];`;
}

const SPEC = { type: 'object', properties: { text: { type: 'string' } } };
const PLAN = {
  errors: [],
  writes: [{ kind: 'configmaps', namespace: 'a', name: 'b', creates: false, deletes: true, paths: ['data.x'] }],
};

/** Writes the files of a deployment that rolls out a version, and loads what its settings name. */
async function load(rollout: object, next: object = SPEC, plan: unknown = PLAN) {
  writeFileSync(join(folder, 'now.js'), moduleOf('1', SPEC));
  writeFileSync(join(folder, 'next.js'), moduleOf('2', next));
  writeFileSync(join(folder, 'plan.json'), typeof plan === 'string' ? plan : JSON.stringify(plan));
  const file = join(folder, 'settings.yaml');
  writeFileSync(file, JSON.stringify({ groups: {}, controllers: ['./now.js'], rollout }));
  const settings = settingsOf(file);
  const own = await ownControllers(settings);
  return { own, registry: installedRegistry(settings, { own: own.controllers, rollouts: own.rollouts }) };
}

describe('the rollout of a module', () => {
  it('R-6.11 settings install a new version for the active stages, with its plan, when they name a rollout', async () => {
    const stages = [{ clusters: ['a'] }, { clusters: ['b'] }];
    const { own, registry } = await load({ controllers: ['./next.js'], stages, stage: 1, plan: './plan.json' });
    const rollout = registry.rolloutOf(KIND);
    expect(rollout?.next.version).toBe('2');
    expect(registry.controllerOf(KIND)?.version).toBe('1');
    expect(['a', 'b'].map((cluster) => rollout?.share.includes({ cluster, uid: 'u' }))).toEqual([true, false]);
    expect(rollout?.planned?.get('configmaps/a/b')).toEqual({
      ...{ namespace: 'a', name: 'b', creates: false, deletes: true },
      paths: new Set(['data.x']),
    });
    expect(own.definitions).toHaveLength(1);
  });

  it('R-6.11 settings install the new version for no object when no stage is active', async () => {
    const { registry } = await load({ controllers: ['./next.js'], stages: [{ percent: 100 }] });
    expect(registry.rolloutOf(KIND)?.share.includes({ cluster: 'a', uid: 'u' })).toBe(false);
  });

  it('R-6.11 settings limit the passes because of a version to the active stages when they name no modules', async () => {
    const { registry } = await load({ stages: [{ clusters: ['a'] }, { percent: 100 }], stage: 1 });
    const share = registry.shareOf(KIND);
    expect(['a', 'b'].map((cluster) => share?.includes({ cluster, uid: 'u' }))).toEqual([true, false]);
    expect(registry.rolloutOf(KIND)).toBeUndefined();
  });

  const rollout = { controllers: ['./next.js'], stages: [{ percent: 100 }], plan: './plan.json' };
  it.each<[string, object, object, unknown, RegExp]>([
    ['the version before cannot read its definition', rollout, { type: 'object' }, PLAN, /spec\.text: it is gone/],
    ['the plan is not JSON', rollout, SPEC, 'restarts 6 Pods', /plan\.json: it is not JSON\. Write it with/],
    ['the plan is another file', rollout, SPEC, {}, /it is no plan of this release/],
    ['the plan has errors', rollout, SPEC, { ...PLAN, errors: [{}] }, /the plan has 1 errors/],
    [
      'a file is missing',
      { ...rollout, controllers: ['./no.js'] },
      SPEC,
      PLAN,
      /rollout\.controllers\[0\]: there is no such file/,
    ],
    ['there are too few stages', { ...rollout, stage: 2 }, SPEC, PLAN, /rollout\.stage: is more than there are stages/],
    [
      'a stage is empty',
      { ...rollout, stages: [{}] },
      SPEC,
      PLAN,
      /a stage names a percent, a labelSelector or clusters/,
    ],
    [
      'a plan is for no modules',
      { stages: [{ percent: 5 }], plan: './plan.json' },
      SPEC,
      PLAN,
      /rollout\.plan: .*there are none/,
    ],
  ])('R-6.11 settings refuse a rollout when %s', async (_when, section, next, plan, message) => {
    await expect(load(section, next, plan)).rejects.toThrow(message);
  });
});
