import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConditions } from '../../lib/core/conditions.ts';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { ConfigMaps, CustomResourceDefinitions, type ResourceType } from '../../lib/core/resource-type.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const Banners: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'banners',
  kind: 'Banner',
  namespaced: true,
};

/** An author's module, outside this repository and without any package installed next to it. */
const MODULE = `
import { ConfigMaps, type Controller, mergeConditions, readConditions, settled, TerminalError } from 'evenkeel';

const banner: Controller = {
  name: 'banner',
  group: 'banner',
  type: { group: 'example.com', version: 'v1', plural: 'banners', kind: 'Banner', namespaced: true },
  owns: [ConfigMaps],
  reads: [],
  version: '1',
  finalizer: 'example.com/banner',
  finalize: async () => ({ done: true }),
  reconcile: async (object, context) => {
    const { text } = object.spec as { text: string };
    if (text === 'boom') throw new RangeError('boom of hunter2');
    if (text === '') throw new TerminalError('NoText', 'spec.text is empty');
    const { name, uid, namespace = '', generation = 0 } = object.metadata;
    const copy = { namespace, name: 'banner-' + name };
    if ((await context.get(ConfigMaps, copy)) === undefined) {
      const owner = { apiVersion: 'example.com/v1', kind: 'Banner', name, uid, controller: true };
      await context.create(ConfigMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { ...copy, ownerReferences: [owner] },
        data: { text },
      });
    }
    const ready = { type: 'Ready', status: 'True', reason: 'Published', message: '' } as const;
    const conditions = mergeConditions(readConditions(object.status), [ready], generation, context.nowMs);
    return { outcome: settled(), status: { observedGeneration: generation, conditions } };
  },
};

export const controllers = [banner];
export const definitions = ['./crd.yaml'];
`;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: banners.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: banners, singular: banner, kind: Banner, listKind: BannerList, shortNames: [bn]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {text: {type: string}}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

function writeModule({ path }: EvenkeelFolder): void {
  writeFileSync(join(path, 'package.json'), '{"type": "module"}');
  writeFileSync(join(path, 'banner.ts'), MODULE);
  writeFileSync(join(path, 'crd.yaml'), DEFINITION);
  writeFileSync(join(path, 'settings.yaml'), 'groups: {}\ncontrollers: [./banner.ts]\n');
}

function createBanner({ api }: Contracts, name: string, text: string): Promise<KubeObject> {
  const metadata = { namespace: 'default', name };
  const body = { apiVersion: 'example.com/v1', kind: 'Banner', metadata, spec: { text } };
  return api.create(Banners, body, { fieldManager: 'test' });
}

async function published({ api }: Contracts, name: string): Promise<string> {
  const { status } = await eventually(`banner ${name} that is published`, async () => {
    const object = await api.get(Banners, { namespace: 'default', name });
    return readConditions(object.status).length > 0 ? object : undefined;
  });
  const copy = await api.get(ConfigMaps, { namespace: 'default', name: `banner-${name}` });
  return `${readConditions(status)[0]?.reason} ${(copy.data as { text: string }).text}`;
}

async function definitions({ api }: Contracts): Promise<string[]> {
  return (await api.list(CustomResourceDefinitions)).items.map(({ metadata }) => metadata.name);
}

describe('evenkeel start with controllers of another author', () => {
  it('R-6.6 runs them beside ours, knows their errors for what they are, and the commands beside it know their kinds', async () => {
    await using folder = new EvenkeelFolder();
    writeModule(folder);
    const started = await folder.start(['--empty', '--controllers', 'banner.ts']);
    await using cluster = await Contracts.connect(folder.kubeconfig);
    expect(await definitions(cluster)).toEqual(
      expect.arrayContaining(['banners.example.com', 'secretcontracts.evenkeel.dev']),
    );
    await createBanner(cluster, 'hello', 'ahoy');
    expect(await published(cluster, 'hello')).toBe('Published ahoy');
    await createBanner(cluster, 'empty', '');
    await started.line(/Banner default\/empty {2}\w+: terminal, Ready False NoText: spec.text is empty/);
    await createBanner(cluster, 'loud', 'boom');
    await started.line(/Banner default\/loud {2}\w+: retry/);
    await cluster.createSecret('web', { password: 'x' });
    await cluster.createContract('web', ['password']);
    await cluster.becomes('web', 'True AllSatisfied');

    const explained = await folder.run(['explain', 'bn/default/hello', '-o', 'json']);
    expect(JSON.parse(explained.out)).toMatchObject({ items: [{ kind: 'banners.example.com', failures: 0 }] });
    expect((await folder.run(['requeue', 'banner/default/hello'])).code).toBe(0);
    await started.line(/Banner default\/hello {2}requested: .*no write/);
    const { code, err, out } = await started.stop();
    expect(code).toBe(0);
    // On the embedded cluster the author sees the whole error. Everyone else sees only its name.
    expect(err).toMatch(/Banner default\/loud {2}banner: reconcile threw\n {4}RangeError: boom of hunter2\n/);
    expect(err).toMatch(/^ {4} +at .*\/banner\.ts:\d+:\d+\)?$/m);
    expect(out).not.toContain('hunter2');
  });

  it('R-6.6 runs them alone, in processes of their own, on a cluster whose CRD is checked, and leaves it again', async () => {
    await using host = new EvenkeelFolder();
    await using folder = new EvenkeelFolder();
    writeModule(folder);
    const hosting = await host.start(['--empty', '--parts', 'stack']);
    await using cluster = await Contracts.connect(host.kubeconfig);
    const real = ['--kubeconfig', host.kubeconfig, '--settings', 'settings.yaml'];
    const before = await definitions(cluster);
    expect(before).toEqual(['secretcontractgrants.evenkeel.dev', 'secretcontracts.evenkeel.dev']);

    const refused = await folder.run(['start', ...real]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/needs: CRD banners\.example\.com is not installed\. Nothing was changed\./);
    expect(await definitions(cluster)).toEqual(before);

    const stack = await folder.start(['--parts', 'stack', '--install-crds', ...real]);
    expect(await definitions(cluster)).toEqual([...before, 'banners.example.com'].sort());
    const parts = await folder.start(['--parts', 'relay,worker']);
    await createBanner(cluster, 'hello', 'ahoy');
    expect(await published(cluster, 'hello')).toBe('Published ahoy');
    await createBanner(cluster, 'loud', 'boom');
    await parts.line(/Banner default\/loud {2}\w+: retry/);
    for (const process of [parts, stack]) {
      const { err, out } = await process.stop();
      expect(`${err}${out}`).not.toContain('hunter2');
    }

    const uninstall = ['uninstall', '--kubeconfig', host.kubeconfig, '--settings', 'settings.yaml'];
    const kept = await folder.run(uninstall);
    expect(kept).toMatchObject({ code: 1, err: expect.stringContaining('2 objects keep their finalizer') });
    expect(kept.out).toContain('finalizer of Banner default/hello kept');
    const forgone = await folder.run([...uninstall, '--forgo-cleanup']);
    expect(forgone).toMatchObject({ code: 0, out: expect.stringMatching(/the CRDs .*banners\.example\.com/) });
    expect(
      (await cluster.api.get(Banners, { namespace: 'default', name: 'hello' })).metadata.finalizers,
    ).toBeUndefined();
    expect((await hosting.stop()).code).toBe(0);
  });

  it.each([
    [
      'no CRD is exported of the kind',
      '',
      'the cluster does not serve banners.example.com in example.com/v1, which controller banner reconciles. Export',
    ],
    [
      'the exported CRD is invalid',
      DEFINITION.replace('openAPIV3Schema:\n          type: object', 'openAPIV3Schema:\n          type: objekt'),
      'the API server reports that the CRD banners.example.com is invalid. kubectl --kubeconfig ',
    ],
  ])('R-6.4 it does not start where %s', async (_title, definition, message) => {
    await using folder = new EvenkeelFolder();
    writeModule(folder);
    writeFileSync(join(folder.path, 'crd.yaml'), definition);
    const failed = await folder.run(['start', '--settings', 'settings.yaml']);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(message);
  });

  it.each([
    [
      'that is missing',
      undefined,
      /^evenkeel: \S+\/broken\.ts: there is no such file\. Correct the path of the module/,
    ],
    ['that imports what is missing', `import './none.ts';`, /it cannot be loaded: Cannot find module '\S+none\.ts'/],
    ['with a syntax error', 'export const\n  a = ;', /it cannot be loaded: Expression expected \(\S+broken\.ts:2\)\.$/],
    [
      'that imports a type as a value',
      `import { Controller } from 'evenkeel';\nController;`,
      /export named 'Controller'/,
    ],
    ['in TypeScript that is not erased', 'enum A { b }', /it cannot be loaded: TypeScript enum is not supported/],
    ['that exports none', 'export const banner = 1;', /it exports no controllers, but banner\./],
  ])(
    'R-6.4 a module %s is refused by its file, without a stack or a value, and nothing is started',
    async (_title, source, message) => {
      await using folder = new EvenkeelFolder();
      writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
      if (source !== undefined) writeFileSync(join(folder.path, 'broken.ts'), source);
      const failed = await folder.run(['start', '--controllers', 'broken.ts']);
      expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) });
      expect(failed.err).not.toMatch(/hunter2|foresee|\n/);
    },
  );

  it.each([
    [
      'that throws',
      `\nJSON.parse('hunter2');`,
      /it threw while it was loaded: SyntaxError: at JSON\.parse .*broken\.ts:2:\d+.* is not shown; node \S+broken\.ts shows/,
    ],
    [
      'that throws no error',
      `throw 'hunter2';`,
      /it threw while it was loaded: string\. The message may contain secrets and is not shown/,
    ],
  ])(
    'R-1.24 what a module %s says is withheld beside a real cluster, and shown on the embedded one',
    async (_title, source, message) => {
      await using folder = new EvenkeelFolder();
      writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
      writeFileSync(join(folder.path, 'broken.ts'), source);
      const withheld = await folder.run(['start', '--controllers', 'broken.ts', '--context', 'prod']);
      expect(withheld).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) });
      expect(withheld.err).not.toMatch(/hunter2|foresee|\n/);
      const whole = await folder.run(['start', '--controllers', 'broken.ts']);
      expect(whole).toMatchObject({ code: 1, out: '', err: expect.stringContaining('hunter2') });
      expect(whole.err).toMatch(/^evenkeel: .*broken\.ts: it threw while it was loaded:\n/);
    },
  );
});
