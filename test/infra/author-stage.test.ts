import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { serverlessParts } from '../../infra/serverless-parts.ts';
import { loadStageWithModules } from '../../infra/stage.ts';
import { withAuthorGroups } from '../../lib/deployment/author/author-groups.ts';
import { decodeCloudSettings } from '../../lib/deployment/cloud/cloud-settings.ts';
import { aStage } from './a-stage.ts';

const MODULE = `
const controller = {
  name: 'banner',
  group: 'banner',
  type: { group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true },
  owns: [{ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }],
  reads: [],
  version: '1',
  reconcile: async () => ({ outcome: { type: 'settled' } }),
};
export const controllers = [controller];
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-stage-'));
  mkdirSync(join(folder, 'stages'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'controllers.ts'), MODULE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stageOf = (text: string) => {
  writeFileSync(join(folder, 'stages', 'test.yml'), text);
  return loadStageWithModules('test', folder);
};

/** The same template for another group: only its name differs. */
function renamed(value: unknown, from: string, to: string): unknown {
  const pascal = (name: string) => name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const text = JSON.stringify(value).replaceAll(from, to).replaceAll(pascal(from), pascal(to));
  return JSON.parse(text);
}

describe('a stage that names a module', () => {
  it('R-6.9 has the same function, role and queues for its group as a group of this package has', async () => {
    const stage = await stageOf('controllers: ./controllers.ts\n');
    const own = serverlessParts(stage);
    const shipped = serverlessParts(aStage({ settings: { groups: { 'secret-contract': {} } } }));
    const named = renamed(
      renamed(shipped, 'secretcontracts.evenkeel.dev', 'banners.example.com'),
      'secret-contract',
      'banner',
    ) as typeof shipped;
    expect(Object.keys(own.functions)).toEqual(['reconcile-banner', 'wake', 'sweep', 'resync', 'relay']);
    expect(Object.keys(own.functions)).toEqual(Object.keys(named.functions));
    expect(Object.keys(own.resources.Resources).sort()).toEqual(Object.keys(named.resources.Resources).sort());
    for (const id of ['BannerEventsQueue', 'BannerResyncDeadQueue', 'ReconcileBannerRole', 'RelayRole', 'Table']) {
      expect(own.resources.Resources[id]).toEqual(named.resources.Resources[id]);
    }
    expect(own.resources.Outputs).toEqual(named.resources.Outputs);
    const { handler, package: packaged, environment: _, ...rest } = own.functions['reconcile-banner'] ?? {};
    expect(handler).toBe('generated/reconcile/index.handler');
    expect(packaged).toEqual({ patterns: ['!**', 'generated/reconcile/**'] });
    expect(named.functions['reconcile-banner']).toMatchObject(rest);
  });

  it('R-6.9 gives its functions settings that they can read with the module, and that name it', async () => {
    const stage = await stageOf(
      'controllers: [./controllers.ts]\nsettings: {groups: {secret-contract: {}}, concurrency: 8}\n',
    );
    expect(stage.groups).toEqual(['banner', 'secret-contract']);
    const { functions } = serverlessParts(stage);
    const { EVENKEEL_SETTINGS } = (functions['reconcile-banner']?.environment ?? {}) as Record<string, string>;
    const groups = withAuthorGroups(stage.author?.controllers ?? []);
    const read = decodeCloudSettings('test', EVENKEEL_SETTINGS ?? '', groups);
    expect(read).toMatchObject({ groups: { banner: {} }, concurrency: 8, controllers: ['./controllers.ts'] });
    expect(deployedFunctions(stage).map(({ key }) => key)).toContain('reconcile-secret-contract');
  });

  it.each([
    ['controllers: ./missing.ts\n', /missing\.ts: there is no such file/],
    [
      'settings: {controllers: [./controllers.ts]}\n',
      /settings\.controllers: a stage names its modules next to its settings/,
    ],
    ['controllers: 5\n', /a stage has the sections settings and cloud, the field controllers/],
    [
      'controllers: ./controllers.ts\nsettings: {groups: {bannr: {}}}\n',
      /test\.yml:2:\d+: groups\.bannr: there is no such/,
    ],
    ['controllers: [\n', /test\.yml:2:1: not valid YAML/],
  ])('R-6.4 is refused with file and remedy when it is %j', async (text, fault) => {
    await expect(stageOf(text)).rejects.toThrow(fault);
  });

  it('R-6.4 is refused with the file to write when there is no folder with stages', async () => {
    rmSync(join(folder, 'stages'), { recursive: true });
    await expect(loadStageWithModules('prod', folder)).rejects.toThrow(/there is no stage "prod"/);
  });
});
