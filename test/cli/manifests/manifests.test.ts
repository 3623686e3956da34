import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { COMMANDS } from '../../../cli/commands.ts';
import { runCommandLine } from '../../../cli/run-command-line.ts';
import { ownControllers } from '../../../lib/deployment/author/own-controllers.ts';
import { FLUX_EXPRESSIONS } from '../../../lib/deployment/kubernetes/flux-health.ts';
import { settingsOf } from '../../../lib/deployment/settings/load-settings.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { Websites } from '../../kit/controller/websites.ts';

const MODULE = fileURLToPath(new URL('website.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-manifests-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function manifests(...args: string[]) {
  const terminal = new RecordedTerminal();
  const all = ['manifests', '--controllers', MODULE, '--out', folder, ...args];
  const code = await runCommandLine(all, terminal, COMMANDS, (error) => `unforeseen: ${String(error)}`);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const documents = (file: string) => parseAllDocuments(text(file)).map((document) => document.toJS());

describe('evenkeel manifests', () => {
  it('R-6.9 manifests writes the CRD, the roles and a kustomization that names them', async () => {
    expect(await manifests()).toMatchObject({ code: 0 });
    expect(parse(text('crds/websites.example.com.yaml'))).toEqual(Websites.definition);
    expect(parse(text('kustomization.yaml'))).toMatchObject({
      resources: ['crds/websites.example.com.yaml', 'roles/shared', 'roles/website'],
    });
    const [account, binding] = documents('roles/website/bindings.yaml');
    expect(account).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'evenkeel-website' } });
    expect(binding).toMatchObject({ kind: 'ClusterRoleBinding', roleRef: { name: 'evenkeel-website' } });
  });

  it('R-5.12 R-6.9 the roles permit what the controllers declare and nothing else', async () => {
    await manifests();
    const [reconcile, , relay] = documents('roles/website/roles.yaml');
    expect(reconcile.rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
      { apiGroups: ['example.com'], resources: ['websites'], verbs: ['get', 'patch'] },
      { apiGroups: ['example.com'], resources: ['websites/status'], verbs: ['patch'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['get', 'create', 'patch'] },
    ]);
    expect(relay.rules).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
      { apiGroups: ['example.com'], resources: ['websites'], verbs: ['list', 'watch'] },
    ]);
  });

  it('R-6.7 the roles are bound in the named namespaces only when an installation is limited', async () => {
    await manifests('--namespaces', 'east,west');
    const bound = documents('roles/website/bindings.yaml')
      .filter(({ roleRef }) => roleRef?.name === 'evenkeel-website')
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace}`);
    expect(bound).toEqual(['RoleBinding east', 'RoleBinding west']);
  });

  it('R-6.13 manifests writes a health check for each kind when Argo CD is asked for', async () => {
    await manifests('--argocd');
    const { data } = parse(text('argocd/argocd-cm.yaml'));
    expect(Object.keys(data)).toEqual(['resource.customizations.health.example.com_Website']);
    expect(Object.values(data)).toEqual([expect.stringMatching(/Degraded[\s\S]*Progressing[\s\S]*Healthy/)]);
    expect(text('kustomization.yaml')).not.toContain('argocd');
    expect(await manifests('--argocd', '--check')).toMatchObject({ code: 0 });
  });

  it('R-6.13 manifests writes the expressions for each kind when Flux is asked for, and removes them later', async () => {
    await manifests('--flux');
    const { spec } = parse(text('flux/health-checks.yaml'));
    expect(spec.healthCheckExprs).toEqual([{ apiVersion: 'example.com/v1', kind: 'Website', ...FLUX_EXPRESSIONS }]);
    expect(text('kustomization.yaml')).not.toContain('flux');
    expect(await manifests('--flux', '--check')).toMatchObject({ code: 0 });
    await manifests();
    expect(existsSync(join(folder, 'flux', 'health-checks.yaml'))).toBe(false);
  });

  it('R-6.9 check ends with 1 and lists what a release removes or tightens when another one is named', async () => {
    await manifests();
    const released = join(folder, 'released.yaml');
    writeFileSync(released, text('crds/websites.example.com.yaml'));
    const same = await manifests('--check', '--against', released);
    expect(same).toMatchObject({ code: 0, out: expect.stringContaining(`every object that fits ${released}`) });
    const before = structuredClone(Websites.definition) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[] };
    };
    const spec = before.spec.versions[0]?.schema.openAPIV3Schema.properties.spec;
    Object.assign(spec?.properties ?? {}, { gone: { type: 'string' } });
    writeFileSync(released, `${stringify(before)}---\napiVersion: v1\nkind: ConfigMap\n`);
    const changed = await manifests('--check', '--against', released);
    expect(changed.code).toBe(1);
    expect(changed.err).toContain('removed: websites.example.com v1 spec.gone: the field is gone');
    expect(await manifests('--against', released)).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs --check'),
    });
  });

  it('R-6.9 check ends with 0 when the folder is up to date, and names each file that differs', async () => {
    await manifests();
    expect(await manifests('--check')).toMatchObject({ code: 0 });
    const crd = 'crds/websites.example.com.yaml';
    const old = `# Written by evenkeel manifests. Changes are lost when it runs again.\nold: true\n`;
    writeFileSync(join(folder, 'crds', 'old.yaml'), old);
    writeFileSync(join(folder, 'mine.yaml'), 'by: hand\n');
    writeFileSync(join(folder, crd), text(crd).replace('maximum: 10', 'maximum: 11'));
    rmSync(join(folder, 'kustomization.yaml'));
    const checked = await manifests('--check');
    expect(checked.code).toBe(1);
    expect(checked.err.replaceAll(`${folder}/`, '').split('\n')).toEqual(
      expect.arrayContaining([
        `${crd} differs`,
        'kustomization.yaml is missing',
        'crds/old.yaml is not needed any more',
      ]),
    );
    expect(checked.err).not.toContain('mine.yaml');

    await manifests();
    expect(await manifests('--check')).toMatchObject({ code: 0 });
    expect(text('mine.yaml')).toBe('by: hand\n');
  });

  it('R-6.9 manifests writes nothing and says what to do when a file with a wanted name was written by a person', async () => {
    const own = 'resources: [mine.yaml]\n';
    writeFileSync(join(folder, 'kustomization.yaml'), own);
    const refused = await manifests();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${join(folder, 'kustomization.yaml')}: evenkeel manifests did not write this`);
    expect(refused.err).toContain('--out');
    expect(readdirSync(folder)).toEqual(['kustomization.yaml']);
    expect(text('kustomization.yaml')).toBe(own);
    const checked = await manifests('--check');
    expect(checked.code).toBe(1);
    expect(checked.err).toContain('kustomization.yaml was not written by evenkeel manifests');
  });

  it.each([
    ['a name that no namespace can have', 'Bad_NS,', /"Bad_NS" cannot be the name of a namespace/],
    ['one wrong name of two', 'east,-west', /"-west" cannot be/],
    ['no name', ',', /names no namespace/],
    ['an empty text', '', /names no namespace|needs a value|NAMES/],
  ])('R-6.4 manifests refuses --namespaces when it holds %s', async (_, names, message) => {
    const refused = await manifests('--namespaces', names);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('R-6.9 manifests keeps the generated files of other projects when they are below its folder', async () => {
    const generated = '# Written by evenkeel manifests. Changes are lost when it runs again.\nby: another project\n';
    const others = [
      'other.yaml',
      'shop/manifests/kustomization.yaml',
      'shop/manifests/crds/shops.example.com.yaml',
      'roles/shop/manifests/roles/shop/roles.yaml',
      'crds/shop/crds/shops.example.com.yaml',
    ];
    const own = ['crds/old.yaml', 'roles/old/roles.yaml', 'argocd/old.yaml'];
    for (const file of [...others, ...own]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), generated);
    }
    const checked = await manifests('--check');
    for (const file of others) expect(checked.err).not.toContain(file);
    const { out } = await manifests();
    for (const file of others) expect(text(file)).toBe(generated);
    for (const file of own) {
      expect(out).toContain(`${join(folder, file)} removed`);
      expect(existsSync(join(folder, file))).toBe(false);
    }
  });

  it('R-6.9 a module that exports controllers of defined kinds brings their definitions with it', async () => {
    const own = await ownControllers(settingsOf(undefined, [MODULE]));
    expect(own.controllers.map(({ name }) => name)).toEqual(['website']);
    expect(own.definitions).toEqual([Websites.definition]);
  });
});
