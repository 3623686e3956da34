import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deployedGroups, deployedSettings } from '../../cli/deployed-stage.ts';
import { encodeCloudSettings } from '../../lib/deployment/cloud/cloud-settings.ts';
import type { ParameterStore } from '../../lib/ports/parameter-store.ts';

/** A stage whose parameter holds this text. */
function deployed(value: string): ParameterStore {
  return { list: async () => [{ name: '/evenkeel/prod/settings', value }] };
}

const BANNER = `
export const controllers = [{
  name: 'banner',
  group: 'banner',
  type: { group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true },
  owns: [],
  reads: [],
  version: '1',
  reconcile: async () => ({ outcome: { type: 'settled' } }),
}];
`;
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-deployed-stage-'));
const MODULE = join(folder, 'controllers.ts');
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
writeFileSync(MODULE, BANNER);
afterAll(() => rmSync(folder, { recursive: true }));

/** The text that a deployment writes for a stage that names a module. */
function written(namespaces: number) {
  return {
    groups: { banner: {} },
    controllers: [MODULE],
    scope: {
      namespaces: Array.from({ length: namespaces }, (_, index) => `namespace-of-a-team-with-a-long-name-${index}`),
    },
  };
}

describe('the settings of a deployed stage', () => {
  it.each([
    ['plain', 2],
    ['packed', 100],
  ])('R-6.9 the command line reads the modules and groups of a stage when its settings are %s', async (form, count) => {
    const text = encodeCloudSettings(written(count));
    expect(text.startsWith('gzip:')).toBe(form === 'packed');
    expect(await deployedGroups('prod', deployed(text))).toEqual(['banner']);
    const { settings, own, groups } = await deployedSettings('prod', deployed(text));
    expect(settings.controllers).toEqual([MODULE]);
    expect(settings.scope?.namespaces).toHaveLength(count);
    expect(own.controllers.map(({ group }) => group)).toEqual(['banner']);
    expect(groups.map(({ name }) => name)).toContain('banner');
  });

  it.each([
    'hunter2',
    'gzip:hunter2',
    '[]',
    'null',
    '{"groups": ["hunter2"]}',
    '{"groups": {}, "controllers": "hunter2"}',
  ])('R-6.4 the command line names the parameter and not its text when it is %s', async (text) => {
    const error =
      /^the SSM parameter \/evenkeel\/prod\/settings is not what its release writes\. Deploy the stage again\.$/;
    await expect(deployedGroups('prod', deployed(text))).rejects.toThrow(error);
    await expect(deployedSettings('prod', deployed(text))).rejects.toThrow(error);
  });

  it('R-6.4 a stage has no groups, and no settings, when it is not deployed', async () => {
    const nothing: ParameterStore = { list: async () => [] };
    expect(await deployedGroups('prod', nothing)).toEqual([]);
    await expect(deployedSettings('prod', nothing)).rejects.toThrow('stage prod is not deployed');
  });

  it('R-6.4 a stage has no groups of an author when its settings name none', async () => {
    expect(await deployedGroups('prod', deployed('{}'))).toEqual([]);
  });
});
