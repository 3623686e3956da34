import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FaultsError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ReconcileContext } from '../../../lib/core/reconcile-context.ts';
import { ownControllers } from '../../../lib/deployment/author/own-controllers.ts';
import { installedRegistry } from '../../../lib/deployment/installation/installed-registry.ts';
import { settingsOf } from '../../../lib/deployment/settings/load-settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-own-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterEach(() => rmSync(folder, { recursive: true }));

const TYPE = `{ group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true }`;

/** The source of one controller. @param fields replace its own. */
function controller(fields: Readonly<Record<string, string>> = {}): string {
  const all = {
    name: `'banner'`,
    group: `'banner'`,
    type: TYPE,
    owns: '[]',
    reads: '[]',
    version: `'1'`,
    reconcile: 'async () => ({ outcome: { type: "settled" } })',
    ...fields,
  };
  return `{ ${Object.entries(all).map(([name, value]) => `${name}: ${value}`)} }`;
}

function definition({ name = 'banners.example.com', kind = 'Banner', scope = 'Namespaced', version = 'v1' } = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      scope,
      names: { plural: 'banners', kind },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} } }],
    },
  };
}

const exporting = (controllers: readonly string[], definitions?: unknown) =>
  `export const controllers = [${controllers}];` +
  (definitions === undefined ? '' : `export const definitions = ${JSON.stringify(definitions)};`);

/** Writes modules, names them in settings, and loads them. */
async function load(modules: Readonly<Record<string, string>>, settings = '{}') {
  for (const [name, source] of Object.entries(modules)) writeFileSync(join(folder, name), source);
  const file = join(folder, 'settings.yaml');
  const names = Object.keys(modules).filter((name) => name.endsWith('.js'));
  writeFileSync(file, JSON.stringify({ ...JSON.parse(settings), controllers: names }));
  const read = settingsOf(file);
  return { settings: read, own: await ownControllers(read) };
}

async function refusal(modules: Readonly<Record<string, string>>, settings?: string): Promise<string> {
  const error = await load(modules, settings).then(
    () => undefined,
    (caught: Error) => caught,
  );
  expect(error).toMatchObject({ code: 'INVALID_CONTROLLERS' });
  return (error?.message ?? '').replaceAll(`${folder}/`, '');
}

describe('ownControllers', () => {
  it('R-6.6 the controllers of the modules run beside ours, or alone', async () => {
    const other = controller({
      name: `'flag'`,
      group: `'flag'`,
      type: TYPE.replace('banners', 'flags').replace('Banner', 'Flag'),
    });
    const modules = { 'a.js': exporting([controller()], [definition()]), 'b.js': exporting([other]) };
    const beside = await load(modules);
    expect(beside.own.definitions).toEqual([definition()]);
    const groups = ({ settings, own }: typeof beside) => installedRegistry(settings, { own: own.controllers }).groups();
    expect(groups(beside)).toEqual(['banner', 'flag', 'secret-contract']);
    expect(groups(await load(modules, '{"groups": {}}'))).toEqual(['banner', 'flag']);
  });

  it('R-6.6 a controller may be an instance of a class', async () => {
    const source = `
      class Banner { constructor() { Object.assign(this, ${controller({ reconcile: 'undefined' })}); delete this.reconcile; }
        async reconcile() { return { outcome: { type: 'settled', by: this.name } }; } }
      export const controllers = [new Banner()];`;
    const { own } = await load({ 'a.js': source });
    const result = await own.controllers[0]?.reconcile({} as KubeObject, {} as ReconcileContext);
    expect(result).toEqual({ outcome: { type: 'settled', by: 'banner' } });
  });

  it('R-6.6 definitions may lie in YAML files, by their paths from the module', async () => {
    const modules = {
      'a.js': exporting([controller()], ['./crd.yaml']),
      'crd.yaml': `---\n${JSON.stringify(definition())}\n---\n`,
    };
    expect((await load(modules)).own.definitions).toEqual([definition()]);
  });

  it.each([
    [
      'an Error',
      `throw new RangeError('hunter2', { cause: new Error('inner') });`,
      ['RangeError: hunter2', 'inner', 'bad.js:1'],
    ],
    ['a text', `throw 'hunter2';`, [`'hunter2'`]],
    ['an object', `throw { reason: 'hunter2' };`, [`reason: 'hunter2'`]],
  ])(
    'R-6.4 %s that a module throws is whole on the embedded cluster, and withheld elsewhere',
    async (_what, source, parts) => {
      expect(await refusal({ 'bad.js': source })).not.toContain('hunter2');
      const read = settingsOf(join(folder, 'settings.yaml'));
      const error = await ownControllers(read, { wholeErrors: true }).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'INVALID_CONTROLLERS' });
      const { faults } = error as FaultsError;
      expect(faults[0]).toMatch(/bad\.js: it threw while it was loaded:$/);
      for (const part of parts) expect(faults.join('\n')).toContain(part);
    },
  );

  it('without controllers in the settings nothing is loaded', async () => {
    expect(await ownControllers(settingsOf(undefined))).toEqual({ controllers: [], definitions: [] });
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'a.js: it exports no controllers, but nothing.'],
    ['one under another name', 'export const controler = 1, x = 2;', 'controler, x. Did you mean "controler"?'],
    [
      'an empty list',
      'export const controllers = [];',
      'a.js: controllers must be a list with at least one controller.',
    ],
    ['an object', 'export const controllers = {};', 'a.js: controllers must be a list with at least one controller.'],
    [
      'a function',
      'export const controllers = [() => 1];',
      'a.js: controllers[0]: is no controller: an object with name',
    ],
    ['no name', exporting([controller({ name: 'undefined' })]), 'a.js: controllers[0].name: must be a text.'],
    ['a long name', exporting([controller({ name: '"x".repeat(41)' })]), 'controllers[0].name: must be 1 to 40 lower-'],
    [
      'a group that climbs',
      exporting([controller({ group: `'../t4'` })]),
      'controllers[0].group: must be 1 to 40 lower-',
    ],
    ['no type', exporting([controller({ type: '1' })]), 'controllers[0].type: must be a kind: an object with group'],
    [
      'a type half said',
      exporting([controller({ type: `{ group: 'example.com', version: 'v1', kind: 'Banner', namespaced: true }` })]),
      'controllers[0].type.plural: must be the plural as in a URL',
    ],
    ['no list of owned kinds', exporting([controller({ owns: 'undefined' })]), 'controllers[0].owns: must be a list'],
    ['a bad owned kind', exporting([controller({ owns: '[1]' })]), 'controllers[0].owns[0]: must be a kind'],
    [
      'a bad mode',
      exporting([controller({ reads: `[{ type: ${TYPE}, mode: 'wach' }]` })]),
      "reads[0].mode: must be 'watch'",
    ],
    [
      'a hasty poll',
      exporting([controller({ reads: `[{ type: ${TYPE}, mode: 'poll', pollIntervalMs: 1000 }]` })]),
      'reads[0].pollIntervalMs: must be 30000 (30 s) at least',
    ],
    [
      'a version that is a number',
      exporting([controller({ version: '1' })]),
      'controllers[0].version: must be a text.',
    ],
    ['no reconcile', exporting([controller({ reconcile: '1' })]), 'controllers[0].reconcile: must be a function.'],
    [
      'half of finalizing',
      exporting([controller({ finalize: 'async () => {}' })]),
      '.finalizer: must be there together',
    ],
    [
      'a finalizer without a domain',
      exporting([controller({ finalizer: `'banner'`, finalize: 'async () => {}' })]),
      '.finalizer: must be a name with a domain, such as example.com/banner',
    ],
    [
      'a group of ours',
      exporting([controller({ group: `'t4'` })]),
      'controllers[0].group: t4 is reserved for evenkeel',
    ],
    [
      "the relay's group",
      exporting([controller({ group: `'relay'` })]),
      'controllers[0].group: relay is reserved for evenkeel',
    ],
    [
      'a name of ours',
      exporting([controller({ name: `'secret-contract'` })]),
      "controllers[0]: the name secret-contract is in use already: evenkeel's own.",
    ],
    [
      'a kind of ours',
      exporting([
        controller({ type: TYPE.replace('example.com', 'evenkeel.dev').replace('banners', 'secretcontracts') }),
      ]),
      "controllers[0]: the kind secretcontracts.evenkeel.dev is in use already: evenkeel's own.",
    ],
    [
      'a name and a kind twice',
      exporting([controller(), controller()]),
      'controllers[1]: the name banner is in use already: a.js: controllers[0]. Remove one of them.\n' +
        'a.js: controllers[1]: the kind banners.example.com is in use already: a.js: controllers[0].',
    ],
    [
      'no list of definitions',
      exporting([controller()], {}),
      'a.js: definitions must be a list of CustomResourceDefinitions',
    ],
    ['a number as definition', exporting([controller()], [1]), 'definitions[0]: is no CustomResourceDefinition'],
    [
      'another object',
      exporting([controller()], [{ ...definition(), kind: 'Pod' }]),
      '.kind: must be CustomResourceDef',
    ],
    [
      'a definition without versions',
      exporting([controller()], [{ ...definition(), spec: { ...definition().spec, versions: [] } }]),
      'definitions[0].spec.versions: must have one version at least.',
    ],
    [
      'a misnamed one',
      exporting([controller()], [definition({ name: 'a.b' })]),
      '.metadata.name: must be spec.names.plural',
    ],
    [
      'a definition twice',
      exporting([controller()], [definition(), definition()]),
      'definitions[1]: the definition banners',
    ],
    ['a missing YAML file', exporting([controller()], ['no.yaml']), 'definitions[0]: no.yaml: there is no such file.'],
    [
      'another kind',
      exporting([controller()], [definition({ kind: 'Flag' })]),
      'type.kind: is Banner, and a.js: definitions[0] says Flag',
    ],
    [
      'another scope',
      exporting([controller()], [definition({ scope: 'Cluster' })]),
      'namespaced: is true, and a.js: definitions[0] says Cluster',
    ],
    [
      'another version',
      exporting([controller()], [definition({ version: 'v2' })]),
      'version: is v1, and a.js: definitions[0] says served: v2',
    ],
  ])('R-6.4 a module with %s is refused, with file, entry and field', async (_title, source, message) => {
    expect(await refusal({ 'a.js': source })).toContain(message);
  });

  it('R-6.4 a definition of ours is refused', async () => {
    const ours = { ...definition(), metadata: { name: 'secretcontracts.evenkeel.dev' } };
    ours.spec = { ...ours.spec, group: 'evenkeel.dev', names: { plural: 'secretcontracts', kind: 'SecretContract' } };
    expect(await refusal({ 'a.js': exporting([controller()], [ours]) })).toContain("is in use already: evenkeel's own");
  });

  it('R-6.4 a definition that two modules have is refused', async () => {
    const other = controller({ name: `'flag'`, type: TYPE.replace('banners', 'flags') });
    const both = { 'a.js': exporting([controller()], [definition()]), 'b.js': exporting([other], [definition()]) };
    expect(await refusal(both)).toContain(
      'b.js: definitions[0]: the definition banners.example.com is in use already: a.js',
    );
  });

  it('R-6.4 a YAML file that does not parse is named with its line, and not quoted', async () => {
    const modules = { 'a.js': exporting([controller()], ['crd.yaml']), 'crd.yaml': 'a: 1\nb: [hunter2' };
    const message = await refusal(modules);
    expect(message).toMatch(/a\.js: definitions\[0\]: crd\.yaml:2: not valid YAML\./);
    expect(message).not.toContain('hunter2');
  });

  it('R-6.4 all errors of all modules are reported at once', async () => {
    const bad = exporting([controller({ version: '1', name: '1' })]);
    const lines = (await refusal({ 'a.js': bad, 'b.js': '' })).split('\n');
    expect(lines).toHaveLength(3);
  });
});
