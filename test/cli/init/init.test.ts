import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { defaultName, nameFault, projectNames } from '../../../cli/init/project-names.ts';
import { askedNames, init } from '../../../cli/init.ts';
import { packageRoot, packageVersion } from '../../../lib/deployment/package/package-root.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';

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
    ['name', 'My App', 'the name cannot be "My App". It must be 1 to 40 lower-case letters'],
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

  it('R-6.9 asks for what no option gives, again after a wrong answer, and takes the proposal for an empty one', async () => {
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
    expect(projectNames({ name: 'a', group: 'b.c', kind })).toMatchObject({ plural, constant, controller });
  });

  it.each([
    ['/tmp/My App!', 'my-app'],
    ['/', 'controllers'],
  ])('R-6.9 names the project of folder %s', (place, name) => {
    expect(defaultName(place)).toBe(name);
  });
});
