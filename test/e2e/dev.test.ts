import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { ConfigMaps, type ResourceType } from '../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { EvenkeelFolder, type EvenkeelProcess } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const Greetings: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'greetings',
  kind: 'Greeting',
  namespaced: true,
};
const place = { namespace: 'default', name: 'hello' };

/** A project as `evenkeel init` writes it, with the packages that npm would install. */
async function newProject(folder: EvenkeelFolder): Promise<void> {
  const { code, err } = await folder.run(['init', '.', '--yes', '--name', 'greeter']);
  expect(err).toContain('files written');
  expect(code).toBe(0);
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(join(MODULES, 'zod'), join(folder.path, 'node_modules', 'zod'));
}

function edit({ path }: EvenkeelFolder, file: string, from: string, to: string): void {
  const text = readFileSync(join(path, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(join(path, file), text.replace(from, to));
}

async function connect({ kubeconfig }: EvenkeelFolder) {
  const clock = new SystemClock();
  const { connection } = await loadKubeconfig({ file: kubeconfig, environment: {}, clock });
  return connectCluster({ connection, userAgent: 'test', clock });
}

const copyBecomes = (user: ClusterApi, message: string) =>
  eventually(`a ConfigMap that reads ${message}`, async () => {
    const found = await user.get(ConfigMaps, place).catch(() => undefined);
    return (found?.data as { message?: string } | undefined)?.message === message ? true : undefined;
  });

const said = (dev: EvenkeelProcess, pattern: RegExp, count = 1) =>
  eventually(`${count} times ${pattern}`, async () =>
    dev.errLines.filter((line) => pattern.test(line)).length >= count ? true : undefined,
  );

describe('evenkeel dev', () => {
  it('R-6.9 runs the saved module from the next pass on, and keeps the last good one when a save is broken', async () => {
    await using folder = new EvenkeelFolder();
    await newProject(folder);
    const dev = folder.spawn(['dev']);
    await said(dev, /^controllers\.ts runs: Greeting$/);
    const { api: user, close } = await connect(folder);
    const greeting = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: place, spec: { message: 'ahoy' } };
    const { metadata } = await user.create(Greetings, greeting, { fieldManager: 'test' });
    await copyBecomes(user, 'ahoy');
    await dev.line(/Greeting default\/hello .*Ready True/);

    // The cluster and its object survive the change of the code.
    edit(folder, 'controllers.ts', '{ data: { message } }', '{ data: { message: message.toUpperCase() } }');
    edit(folder, 'controllers.ts', "version: '1'", "version: '2'");
    await said(dev, /^controllers\.ts runs: Greeting$/, 2);
    await user.patch(
      Greetings,
      place,
      { type: 'merge', patch: { spec: { message: 'hello' } } },
      { fieldManager: 'test' },
    );
    await copyBecomes(user, 'HELLO');
    expect((await user.get(Greetings, place)).metadata.uid).toBe(metadata.uid);

    edit(
      folder,
      'controllers.ts',
      'export const Greetings',
      "throw new RangeError('no kind');\nexport const Greetings",
    );
    await said(dev, /controllers\.ts is not used: the version before goes on/);
    expect(dev.errLines.join('\n')).toMatch(/RangeError: no kind[\s\S]*controllers\.ts:5:7/);
    await user.patch(
      Greetings,
      place,
      { type: 'merge', patch: { spec: { message: 'still here' } } },
      { fieldManager: 'test' },
    );
    await copyBecomes(user, 'STILL HERE');

    edit(folder, 'controllers.ts', "throw new RangeError('no kind');\n", '');
    await said(dev, /^controllers\.ts runs: Greeting$/, 3);
    await close();
    expect((await dev.stop()).code).toBe(0);
  });

  it('R-6.4 waits for a save when the first version does not compile, and shows file and line', async () => {
    await using folder = new EvenkeelFolder();
    await newProject(folder);
    edit(folder, 'controllers.ts', 'owns: [ConfigMaps],', 'owns: [ConfigMaps');
    const dev = folder.spawn(['dev']);
    await said(dev, /controllers\.ts is not used: nothing runs\. Correct it and save it\./);
    expect(dev.errLines.join('\n')).toMatch(/controllers\.ts: it cannot be loaded: .*controllers\.ts:\d+/s);
    edit(folder, 'controllers.ts', 'owns: [ConfigMaps', 'owns: [ConfigMaps],');
    await said(dev, /^controllers\.ts runs: Greeting$/);
    expect((await dev.stop()).code).toBe(0);
  });

  it('R-6.4 names what to do when there is no module', async () => {
    await using folder = new EvenkeelFolder();
    const { code, err } = await folder.run(['dev']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /controllers\.ts: there is no such file\. Name the module .* with --controllers FILE, or write/,
    );
  });
});
