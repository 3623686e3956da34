import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Invocation } from '../../../cli/command.ts';
import { defaultName, nameFault, projectNames } from '../../../cli/init/project-names.ts';
import { askedNames, init, nextCommand } from '../../../cli/init.ts';
import { ownControllers } from '../../../lib/deployment/author/own-controllers.ts';
import { packageRoot, packageVersion } from '../../../lib/deployment/package/package-root.ts';
import { settingsOf } from '../../../lib/deployment/settings/load-settings.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';

const ZOD = fileURLToPath(new URL('../../../node_modules/zod', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function initIn(place: string, options: Readonly<Record<string, string | true>> = {}) {
  const terminal = new RecordedTerminal();
  const invocation = new Invocation([place], new Map(Object.entries({ yes: true, ...options })));
  return { terminal, ended: init(invocation, terminal) };
}

describe('evenkeel init', () => {
  it('R-6.9 writes a project that is pinned to exact versions into a new folder', async () => {
    const place = join(folder, 'My Greeter');
    expect(await initIn(place).ended).toBe(0);
    const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    expect(manifest.name).toBe('my-greeter');
    for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
    expect(readFileSync(join(place, 'controllers.ts'), 'utf8')).toContain("kind: 'Greeting'");
  });

  it('R-6.9 init installs the package of the clone when it runs from one', async () => {
    const place = join(folder, 'greeter');
    const { terminal, ended } = initIn(place);
    await ended;
    const archive = join(packageRoot(), `evenkeel-${packageVersion()}.tgz`);
    expect(terminal.outLines.join('\n')).toContain(`(cd ${packageRoot()} && npm pack) && cd `);
    expect(terminal.outLines.join('\n')).toContain(`npm install ${archive} && npm run manifests`);
    expect(terminal.errLines.join('\n')).toContain('npm may not have its version');
    expect(readFileSync(join(place, 'README.md'), 'utf8')).toContain('npm install FILE');
  });

  it('R-6.4 refuses a folder that holds something, names it, and writes nothing', async () => {
    writeFileSync(join(folder, 'notes.txt'), '');
    await expect(initIn(folder).ended).rejects.toThrow(
      `${folder} is not empty: it holds notes.txt. Name a new or empty folder.`,
    );
    expect(existsSync(join(folder, 'package.json'))).toBe(false);
  });

  it('R-6.4 refuses a path that is a file, with the reason', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(initIn(join(folder, 'file')).ended).rejects.toThrow(
      /file cannot be written: a part of its path is no folder/,
    );
  });

  it('R-6.9 writes next to a repository that git has just made', async () => {
    mkdirSync(join(folder, '.git'));
    expect(await initIn(folder).ended).toBe(0);
  });

  it.each([
    ['name', 'My App', 'the name cannot be "My App". It must be 2 to 40 lower-case letters'],
    ['name', '2024', 'the name cannot be "2024". It must be 2 to 40 lower-case letters'],
    ['name', 'a', 'the name cannot be "a".'],
    ['group', 'example', 'the group cannot be "example". It must be a domain in lower case'],
    ['group', 'apps.k8s.io', 'the group cannot be "apps.k8s.io": it is reserved.'],
    ['group', 'evenkeel.dev', 'the group cannot be "evenkeel.dev": it is reserved.'],
    ['kind', 'greeting', 'the kind cannot be "greeting". It must be a capital letter'],
    ['kind', 'Hello-World', 'the kind cannot be "Hello-World".'],
  ])('R-6.4 refuses the %s "%s", and says what it must be', async (what, text, fault) => {
    const place = join(folder, 'new');
    await expect(initIn(place, { [what]: text }).ended).rejects.toThrow(fault);
    await expect(initIn(place, { [what]: text }).ended).rejects.toThrow(`Name it with --${what}.`);
    expect(existsSync(place)).toBe(false);
  });

  it('R-6.9 asks for values without an option, again after a wrong answer, and uses the proposal for an empty answer', async () => {
    const answers = ['Example', 'example.org', ''];
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answers.shift() ?? '';
    };
    const proposed = { name: 'greeter', group: 'example.com', kind: 'Greeting' };
    expect(await askedNames(proposed, (what) => what === 'name', ask)).toEqual({ ...proposed, group: 'example.org' });
    expect(asked).toEqual([
      'API group of the kind (example.com): ',
      `${nameFault('group', 'Example')}\nAPI group of the kind (example.com): `,
      'Kind (Greeting): ',
    ]);
  });

  it.each([
    ['Greeting', 'greetings', 'Greetings', 'greeting'],
    ['HelloPolicy', 'hellopolicies', 'HelloPolicies', 'hello-policy'],
    ['DNSBox', 'dnsboxes', 'DNSBoxes', 'dns-box'],
    ['T4Day', 't4days', 'T4Days', 't4-day'],
  ])('R-6.9 names kind %s as URLs, sources and queues do', (kind, plural, constant, controller) => {
    expect(projectNames({ name: 'ab', group: 'b.c', kind })).toMatchObject({ plural, constant, controller });
  });

  it.each([
    ...['Switch', 'Class', 'Null', 'True', 'Function', 'Package', 'Import', 'Await', 'Enum', 'Let', 'Yield', 'Static'],
    ...['Arguments', 'Eval', 'Undefined', 'Settled', 'Z', 'DefineKind', 'DefineController', 'Controller', 'Process'],
  ])('R-6.9 init writes a module that loads, and an example of its kind, when the kind is %s', async (kind) => {
    const place = join(folder, 'new');
    await initIn(place, { kind }).ended;
    mkdirSync(join(place, 'node_modules'));
    symlinkSync(ZOD, join(place, 'node_modules', 'zod'));
    const own = await ownControllers(settingsOf(undefined, [join(place, 'controllers.ts')]), { wholeErrors: true });
    expect(own.controllers.map(({ type }) => type.kind)).toEqual([kind]);
    const example = parse(readFileSync(join(place, 'examples', `${kind.toLowerCase()}.yaml`), 'utf8'), {
      version: '1.1',
    });
    expect(example.kind).toBe(kind);
  });

  it.each([
    ...['ConfigMap', 'Define', 'Yes', 'No', 'On', 'Off', 'Y', 'N'],
    ...['Relay', 'Shared', 'Deployment', 'Events', 'Examples', 'Install', 'Uninstall'],
    ...['SecretContract', 'ControlPlane', 'T4', 'Gateway', 'ManagedDatabase'],
  ])('R-6.4 init refuses kind %s, and writes nothing, when the module could not be used', async (kind) => {
    const place = join(folder, 'new');
    await expect(initIn(place, { kind }).ended).rejects.toThrow(
      new RegExp(`^the kind cannot be "${kind}": .* Name it with --kind\\.$`),
    );
    expect(existsSync(place)).toBe(false);
  });

  it.each(['null', 'true', 'no', 'on', 'off', 'e3', 'greeter'])(
    'R-6.9 init writes serverless.yml with the name as a text when the name is %s',
    async (name) => {
      const place = join(folder, 'new');
      await initIn(place, { name }).ended;
      const text = readFileSync(join(place, 'serverless.yml'), 'utf8');
      for (const version of ['1.1', '1.2'] as const) expect(parse(text, { version }).service).toBe(name);
    },
  );

  it.each([
    ['new', 'new'],
    ['a/b-c_1.x', 'a/b-c_1.x'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$(x)', "'$(x)'"],
    ['-x', './-x'],
  ])('R-6.9 init prints a command that a shell reads as it is meant when the folder is %s', async (place, shown) => {
    const { terminal, ended } = initIn(join(folder, place));
    await ended;
    expect(nextCommand(place)).toBe(`cd ${shown} && npm install && npm run manifests && npm test && npm run dev`);
    const archive = join(packageRoot(), `evenkeel-${packageVersion()}.tgz`);
    expect(terminal.outLines).toEqual([nextCommand(relative('.', join(folder, place)), archive)]);
  });

  it.each([
    ['/tmp/My App!', 'my-app'],
    ['/', 'controllers'],
    ['/tmp/2024', 'controllers'],
    ['/tmp/2024-shop', 'shop'],
    ['/tmp/a', 'controllers'],
    [`/tmp/${'a'.repeat(39)}-b`, 'a'.repeat(39)],
  ])('R-6.9 names the project of folder %s', (place, name) => {
    expect(defaultName(place)).toBe(name);
  });
});
