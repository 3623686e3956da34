import { execFile, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { connectCluster } from '../../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { ConfigMaps, type ResourceType } from '../../lib/core/resource-type.ts';
import { installPacked, type Manifest, MODULES, manifest, ROOT, writeOldProject } from './support/installed-package.ts';

const run = promisify(execFile);

const BANNERS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'banners',
  kind: 'Banner',
  namespaced: true,
};

/** The files that a page of the documentation shows: code blocks with a file name. */
function listings(page: string): Map<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const fences = text.matchAll(/^```ts (?<file>\S+)\n(?<code>[\s\S]*?)^```$/gm);
  return new Map([...fences].map(({ groups }) => [groups?.file ?? '', groups?.code ?? '']));
}

/** Modules of existing CRDs, and code that uses the types of one. They are compiled with the listings. */
async function writeTypes(bin: string, folder: string): Promise<void> {
  const shapes = join(ROOT, 'test', 'cli', 'types', 'shapes');
  for (const shape of readdirSync(shapes)) {
    const out = join(folder, `types-${shape.replace('.yaml', '.ts')}`);
    await run(process.execPath, [bin, 'types', join(shapes, shape), '--out', out], { cwd: folder });
  }
  const uses = readFileSync(join(ROOT, 'test', 'cli', 'types', 'uses-types.txt'), 'utf8');
  writeFileSync(join(folder, 'uses-types.ts'), uses);
}

describe('the package, used from outside this repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-package-'));
  let installed = '';

  beforeAll(async () => {
    installed = await installPacked(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    const pages = ['writing-a-controller', 'recipes', 'coming-from', 'versions-of-a-kind'].map((page) =>
      listings(`docs/${page}.md`),
    );
    for (const [file, code] of pages.flatMap((page) => [...page])) writeFileSync(join(folder, file), code);
    await writeTypes(join(installed, 'bin', 'evenkeel.js'), folder);
  }, 180_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("R-6.6 R-6.9 the documentation's controllers, and modules of existing CRDs, compile against the package's own types, strictly", async () => {
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'esnext.array'],
      module: 'nodenext',
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiled = await run(join(MODULES, '.bin', 'tsc'), ['--project', folder]).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout || String(error) }),
    );
    expect(compiled.stdout).toBe('');
  });

  it('R-6.8 R-6.9 the page on versions moves an object to a new version by its pass, and removes the old version', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'shelf.test.ts'], { cwd: folder });
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it("R-6.6 the documentation's tests run the controllers on the package's harness, and pass", async () => {
    const args = ['--test', '--test-reporter=tap', 'banner.test.ts', 'zone.test.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(stdout).toMatch(/^# pass 3$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it('R-6.6 R-6.9 the recipes of the documentation pass their tests on the package', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'recipes.test.ts'], {
      cwd: folder,
    });
    expect(stdout).toMatch(/^# pass 3$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it('R-6.6 the controller that docs/coming-from.md shows next to those of others passes its test on the package', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'app.test.ts'], { cwd: folder });
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it("R-6.6 the documentation's simulation runs the controller through crashes, lost answers and gaps, and passes", async () => {
    const args = ['--test', '--test-reporter=tap', 'banner.simulation.test.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it('R-6.6 it has everything that it needs to run, and neither sources nor tests', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'bin/evenkeel.js']));
    // The example controllers are source files, for reading.
    const others = files.filter((file) => !file.startsWith('examples/'));
    expect(others.filter((file) => /^(lib|functions|test|bench|build)\b|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual(
      [],
    );
  });

  it('R-6.6 the CRDs that a start reads as JSON are those of its YAML files', () => {
    const built = JSON.parse(readFileSync(join(installed, 'dist', 'manifests.json'), 'utf8')) as object;
    const crds = join('infra', 'kubernetes', 'crds');
    const written = readdirSync(join(installed, crds)).map((file) => {
      const documents = parseAllDocuments(readFileSync(join(installed, crds, file), 'utf8'));
      return [join(crds, file), documents.map((document) => document.toJS() as unknown)] as const;
    });
    expect(written.length).toBeGreaterThan(5);
    expect(built).toEqual(Object.fromEntries(written));
  });

  it("R-6.6 its command line runs the documentation's controller: a Banner gets its ConfigMap", async () => {
    await using started = startPacked(['start', '--empty', '--controllers', 'banner.ts', '--state-dir', 'own']);
    await started.line(/^ready/);
    const clock = new SystemClock();
    const { connection } = await loadKubeconfig({ file: join(folder, 'own', 'kubeconfig'), environment: {}, clock });
    const { api: user, close } = connectCluster({ connection, userAgent: 'test', clock });
    const banner = {
      apiVersion: 'example.com/v1',
      kind: 'Banner',
      metadata: { namespace: 'default', name: 'hello' },
      spec: { text: 'ahoy' },
    };
    await user.create(BANNERS, banner, { fieldManager: 'test' });
    await started.line(/Banner default\/hello .*Ready True Reconciled/);
    const copy = await user.get(ConfigMaps, { namespace: 'default', name: 'banner-hello' });
    expect(copy).toMatchObject({ data: { text: 'ahoy' } });
    await close();
    expect(await started.stop()).toBe(0);
  });

  it('R-6.6 its command line runs the whole loop', async () => {
    const bin = join(installed, 'bin', 'evenkeel.js');
    const { stdout } = await run(process.execPath, [bin, '--version'], { cwd: folder });
    expect(stdout).toContain(manifest.version);
    await using started = startPacked(['start']);
    await started.line(/Ready True/);
    expect(await started.stop()).toBe(0);
  });

  it('R-6.6 R-6.9 a project of its init compiles, passes its tests and runs on its dev', async () => {
    const bin = join(installed, 'bin', 'evenkeel.js');
    const args = [bin, 'init', 'greeter', '--yes', '--group', 'example.org', '--kind', 'HelloPolicy'];
    const { stdout: next } = await run(process.execPath, args, { cwd: folder });
    expect(next).toBe('cd greeter && npm install && npm run manifests && npm test && npm run dev\n');
    const project = join(folder, 'greeter');
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;
    expect(dependencies).toEqual({ evenkeel: manifest.version, zod: manifest.dependencies.zod });
    const compiled = await run(join(MODULES, '.bin', 'tsc'), ['--project', project]).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout || String(error) }),
    );
    expect(compiled.stdout).toBe('');
    const { stdout } = await run('npm', ['test', '--', '--test-reporter=tap'], { cwd: project });
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
    const manifests = ['manifests', '--controllers', 'controllers.ts', '--out', 'manifests'];
    await run(process.execPath, [bin, ...manifests], { cwd: project });
    await run(process.execPath, [bin, ...manifests, '--check'], { cwd: project });
    await using started = startPacked(['dev'], project);
    await started.line(/^ready/);
    await started.errLine(/^controllers\.ts runs: HelloPolicy$/);
    expect(await started.stop()).toBe(0);
  });

  it('R-6.9 npm create evenkeel writes the same project as its init', async () => {
    const source = join(ROOT, 'packages', 'create-evenkeel');
    const creator = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
    expect(creator).toMatchObject({ version: manifest.version, dependencies: { evenkeel: manifest.version } });
    await run('npm', ['pack', '--pack-destination', folder], { cwd: source });
    const place = join(folder, 'node_modules', 'create-evenkeel');
    mkdirSync(place, { recursive: true });
    const tarball = join(folder, `create-evenkeel-${creator.version}.tgz`);
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', place]);
    await run(process.execPath, [join(place, 'create-evenkeel.js'), 'created', '--yes'], { cwd: folder });
    const files = readdirSync(join(folder, 'created')).sort();
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'controllers.ts', 'package.json', 'serverless.yml']));
    expect(JSON.parse(readFileSync(join(folder, 'created', 'package.json'), 'utf8')).name).toBe('created');
  });

  it('R-6.8 R-6.9 a project of the release before compiles, passes its tests, and is packaged for the cloud by this release', async () => {
    const project = join(folder, 'of-0.1');
    writeOldProject(project);
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;
    expect(manifest.peerDependencies.zod).toBe(dependencies.zod);
    await expect(run(join(MODULES, '.bin', 'tsc'), ['--project', project])).resolves.toMatchObject({ stdout: '' });
    const { stdout } = await run('npm', ['test', '--', '--test-reporter=tap'], { cwd: project });
    expect(stdout).toMatch(/^# pass 2$/m);
    const names = Object.keys(await packagedResources(project));
    expect(names).toEqual(expect.arrayContaining(['ReconcileDashgreetingLambdaFunction', 'ReconcileGreetingRole']));
  });

  it('R-6.8 R-6.9 the manifests of a project of the release before have the same objects, and its CRD takes the same specs', async () => {
    const project = join(folder, 'manifests-of-0.1');
    writeOldProject(project);
    const evenkeel = (...args: string[]) =>
      run(process.execPath, [join(installed, 'bin', 'evenkeel.js'), ...args], { cwd: project });
    const manifests = ['manifests', '--controllers', 'controllers.ts', '--out', 'upgraded'];
    await evenkeel(...manifests);
    const objectsOf = (out: string) => {
      const files = globSync('**/*.yaml', { cwd: join(project, out) }).sort();
      return files.map((file) => {
        const documents = parseAllDocuments(readFileSync(join(project, out, file), 'utf8'));
        return [file, documents.map((document) => document.toJS())];
      });
    };
    expect(objectsOf('upgraded')).toEqual(objectsOf('manifests'));
    const released = join('manifests', 'crds', 'greetings.example.com.yaml');
    const { stdout } = await evenkeel(...manifests, '--check', '--against', released);
    expect(stdout).toContain(`every object that fits ${released} fits these CRDs`);
  });

  it('R-6.9 a project of its init is packaged for the cloud by its Serverless plugin, with a function that loads', async () => {
    const project = join(folder, 'cloud');
    await run(process.execPath, [join(installed, 'bin', 'evenkeel.js'), 'init', project, '--yes'], { cwd: folder });
    const names = Object.keys(await packagedResources(project));
    const parts = ['ReconcileDashgreetingLambdaFunction', 'ReconcileGreetingRole', 'GreetingEventsQueue', 'Table'];
    expect(names).toEqual(expect.arrayContaining([...parts, 'GreetingResyncDeadQueue', 'RelayLambdaFunction']));
    const bundle = join(project, 'generated', 'reconcile', 'index.mjs');
    const script = `const { handler } = await import(${JSON.stringify(bundle)}); process.stdout.write(typeof handler);`;
    const loaded = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: tmpdir(), env: {} });
    expect(loaded.stdout).toBe('function');
  });

  /** The AWS resources that `serverless package` generates for a project. */
  async function packagedResources(project: string): Promise<Readonly<Record<string, object>>> {
    const aws = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'eu-west-1' };
    const env = { ...process.env, ...aws, HOME: project };
    const { stdout, stderr } = await run(join(MODULES, '.bin', 'serverless'), ['package'], { cwd: project, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    expect(`${stdout}${stderr}`).toContain('Service packaged');
    const file = join(project, '.serverless', 'cloudformation-template-update-stack.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, object> }).Resources;
  }

  /** The installed command line as a process. Disposing ends it. */
  function startPacked(args: readonly string[], cwd = folder) {
    const started = spawn(process.execPath, [join(installed, 'bin', 'evenkeel.js'), ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => started.once('exit', resolve));
    let printed = '';
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
    const errLines = createInterface({ input: started.stderr })[Symbol.asyncIterator]();
    /** The next matching line of a stream. */
    const lineOf = async (stream: typeof lines, pattern: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await stream.next();
        if (done) throw new Error(`it ended without a line ${pattern}:\n${printed}`);
        printed += `${value}\n`;
        if (pattern.test(value)) return value;
      }
    };
    const stop = () => {
      started.kill('SIGTERM');
      return ended;
    };
    return {
      line: (pattern: RegExp) => lineOf(lines, pattern),
      errLine: (pattern: RegExp) => lineOf(errLines, pattern),
      stop,
      [Symbol.asyncDispose]: async () => {
        await stop();
      },
    };
  }
});
