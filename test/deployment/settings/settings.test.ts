import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { DEFAULT_BACKOFF } from '../../../lib/core/backoff.ts';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { DEFAULT_RATE_LIMIT } from '../../../lib/core/rate-limit.ts';
import {
  defaultSettings,
  loadSettings,
  parseSettings,
  SettingsError,
  settingsOf,
  settingsToDeploy,
  settingsToLeave,
} from '../../../lib/deployment/settings/load-settings.ts';
import { exampleSettings, settingsReference } from '../../../lib/deployment/settings/settings-reference.ts';

function faults(text: string): readonly string[] {
  try {
    parseSettings(text, 'settings.yaml');
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('an empty file gives the defaults of the core', () => {
    const settings = parseSettings('', 'settings.yaml');
    expect(settings).toEqual(defaultSettings());
    expect(settings.timings).toEqual(DEFAULT_LEASE_TIMINGS);
    expect(settings.backoff).toEqual(DEFAULT_BACKOFF);
    expect(settings.rateLimit).toEqual(DEFAULT_RATE_LIMIT);
    expect(settings.groups).toEqual({ 'secret-contract': { mutation: { allow: false } } });
    expect(settings.intervals).toEqual({ sweepMs: 60_000, resyncMs: 300_000, targetResyncMs: 21_600_000 });
  });

  it('R-6.7 names namespaces, a label selector and whether the deployment is paused', () => {
    const settings = parseSettings(
      'paused: true\nscope:\n  namespaces: [team-a]\n  labelSelector: a=b,c in (d)\n',
      'settings.yaml',
    );
    expect(settings.paused).toBe(true);
    expect(settings.scope).toEqual({ namespaces: ['team-a'], labelSelector: 'a=b,c in (d)' });
  });

  it.each(['off', '0', '"0"'])('intervals are switched off by %s', (written) => {
    const settings = parseSettings(`intervals: {sweep: ${written}, resync: ${written}, targetResync: ${written}}`, 'f');
    expect(settings.intervals).toEqual({ sweepMs: 0, resyncMs: 0, targetResyncMs: 0 });
  });

  it('a group whose section is empty is installed with its defaults', () => {
    expect(parseSettings('groups:\n  secret-contract:\n', 'f').groups).toEqual(defaultSettings().groups);
  });

  it.each([
    ['cluster: 5', '1:1: cluster: 5 is not allowed here', 'Allowed: 1 to 40 lower-case letters', 'Example: `cluster:'],
    ['cluster: Prod', '1:1: cluster: "Prod" is not allowed here', 'Allowed: 1 to 40', 'Example'],
    [
      'intervals:\n  resync: 5 minutes',
      '2:3: intervals.resync: "5 minutes" is not a duration',
      '24h, or off',
      'resync: 5m',
    ],
    ['timings: {passLimit: 1h}', '1:11: timings.passLimit: 1h is too long', 'from 50ms to 10m', 'passLimit: 20s'],
    ['timings: {passLimit: off}', '1:11: timings.passLimit: "off" is not a duration', 'from 50ms', 'passLimit: 20s'],
    [
      'timings:\n  lease: 21s',
      '1:1: timings: the lease timings do not fit',
      'passLimit + clockSkew < lease',
      'section',
    ],
    [
      'timings: {visibility: 35s}',
      '1:1: timings: visibility must be 2s longer than lease and clockSkew',
      '',
      'section',
    ],
    ['backoff: {base: 10m}', '1:1: backoff: base is longer than cap', 'section with: base, cap', ''],
    ['backoff: 3', '1:1: backoff: 3 is not allowed here', 'section with: base, cap', ''],
    ['concurrency: 0', '1:1: concurrency: 0 is too small', 'from 2 to 1000', 'concurrency: 16'],
    ['metrics: {port: 70000}', '1:11: metrics.port: 70000 is too large', 'from 0 to 65535', 'port: 0'],
    ['scope: {namespaces: [a, B]}', '1:25: scope.namespaces[1]: "B" is not allowed', '1 to 100 different', 'team-a'],
    ['scope: {namespaces: [a, a]}', '1:9: scope.namespaces: a namespace is listed twice', '1 to 100', 'team-a'],
    ['scope: {labelSelector: a in b}', '1:9: scope.labelSelector', 'a Kubernetes label selector', 'tier in'],
    ['scope: {labelSelector: "a=b,"}', '1:9: scope.labelSelector', 'behind the last comma', 'tier in'],
    ['scope: {labelSelector: "a>b"}', '1:9: scope.labelSelector', 'compares with a whole number', 'tier in'],
    ['groups: {}', '1:1: groups: no controllers are installed', 'control-plane, secret-contract, t4', ''],
    [
      "groups: {control-plane: {routes: [{namespaces: [a], hosts: ['10.0.0.1']}]}}",
      'groups.control-plane.routes[0].hosts[0]: "10.0.0.1" is not allowed here',
      'host names',
      "hosts: ['*.team-a",
    ],
    [
      "groups: {control-plane: {routes: [{namespaces: ['team-*'], hosts: [a.example.org]}]}}",
      'groups.control-plane.routes[0].namespaces[0]: "team-*" is not allowed here',
      'a list of 1 to 100 namespaces',
      'namespaces: [team-a]',
    ],
    [
      'groups: {control-plane: {routes: [{namespaces: [a], hosts: [a.example.org, 10.0.0.1]}]}}',
      'groups.control-plane.routes[0].hosts[1]: "10.0.0.1" is not allowed here',
      'host names',
      "hosts: ['*.team-a",
    ],
    [
      'groups: {control-plane: {routes: [5]}}',
      'groups.control-plane.routes[0]: 5 is not allowed here',
      'a list of sections with namespaces and hosts',
      'routes: [{',
    ],
    [
      'groups: {control-plane: {routes: [{namespaces: [a], hosts: [], host: b}]}}',
      'groups.control-plane.routes[0].host: there is no such setting. Did you mean "hosts"?',
      'groups.control-plane.routes[0] may have: namespaces, hosts.',
      '',
    ],
    ['scope: {namespaces: [a, ""]}', 'scope.namespaces[1]:', 'namespace names', 'namespaces: ['],
    ['controllers: [""]', 'controllers[0]: it is too short', 'paths of files', 'controllers: ['],
    [
      "groups: {control-plane: {identity: {server: 'https://id.example.org', realms: [{namespaces: [a], realms: [b, master], redirectHosts: []}]}}}",
      "1:110: groups.control-plane.identity.realms[0].realms[1]: master is the realm of evenkeel's own service account",
      'realms, without that of the service account',
      'realms: [shop]',
    ],
    [
      "groups: {control-plane: {identity: {server: 'https://id.example.org', realm: Ops, realms: [{namespaces: [a], realms: [oPS], redirectHosts: []}]}}}",
      "groups.control-plane.identity.realms[0].realms[0]: Ops is the realm of evenkeel's own service account",
      '',
      '',
    ],
    [
      "groups: {control-plane: {identity: {server: 'https://id.example.org', realms: [{namespaces: [a], realms: [b]}]}}}",
      'groups.control-plane.identity.realms[0].redirectHosts: it is missing',
      'host names',
      "redirectHosts: ['*.team-a",
    ],
    ['groups: {t4: {runtimeImage: a:latest}}', 'groups.t4.runtimeImage: "a:latest"', 'digest', '@sha256:'],
    ['groups: {t4: {omp: {secret: {name: a}}}}', '1:15: groups.t4.omp.configMap: it is missing', 'modelsKey', ''],
    ['- a', '1:1: the settings: a list is not allowed here', 'installation, cluster', ''],
    ['a: [\nb: 1', ': not valid YAML', 'Correct it', ''],
    ['cluster: a\ncluster: b', '2:1: not valid YAML: the key "cluster" stands twice', '', ''],
    ['intervals: {sweep: 1m, "sweep": 2m}', '1:24: not valid YAML: the key "sweep" stands twice', '', ''],
    ['scope:\n  namespaces: [a]\n  namespaces: [b]', '3:3: not valid YAML: the key "namespaces" stands twice', '', ''],
  ])('R-6.4 %j is refused with its place, the allowed values and an example', (text, where, allowed, example) => {
    const [fault = ''] = faults(text);
    expect(fault).toContain(`settings.yaml:`);
    expect(fault).toContain(where);
    expect(fault).toContain(allowed);
    expect(fault).toContain(example);
  });

  it.each([
    ['intervals: {swep: 1m}', 'intervals.swep: there is no such setting. Did you mean "sweep"?'],
    ['intervals: {target-resync: 1h}', 'Did you mean "targetResync"?'],
    ['instalation: x', 'instalation: there is no such setting. Did you mean "installation"?'],
    ['groups: {secretContract: {}}', 'Did you mean "secret-contract"?'],
    ['constructor: {}', '1:1: constructor: there is no such setting.'],
    ['toString: 1', '1:1: toString: there is no such setting.'],
    ['__proto__: {paused: true}', '1:1: __proto__: there is no such setting.'],
    ['intervals: {__proto__: {sweep: 1s}}', '1:13: intervals.__proto__: there is no such setting.'],
    ['groups: {t4: {constructor: {name: a}}}', '1:15: groups.t4.constructor: there is no such setting.'],
    ['scope:\n  valueOf:', '2:3: scope.valueOf: there is no such setting.'],
    ['zzz: 1', 'zzz: there is no such setting. the settings may have: installation, cluster,'],
  ])('R-6.4 the unknown setting in %s is refused with a suggestion', (text, expected) => {
    expect(faults(text).join('\n')).toContain(expected);
  });

  it('R-6.4 every fault is named at once, in the order of the file', () => {
    const lines = faults('cluster: 5\nconcurrency: 0\nintervals:\n  sweep: x\n').map((fault) => fault.split(':')[1]);
    expect(lines).toEqual(['1', '2', '4']);
  });

  it('R-1.24 a long text that was put in the wrong place is not repeated', () => {
    const text = 'x'.repeat(60);
    expect(faults(`installation: ${text}`).join()).not.toContain(text);
  });

  it('aliases that multiply are refused, not expanded', () => {
    const bomb = `a: &a [x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]`;
    expect(faults(bomb)).toEqual(['settings.yaml: has too many YAML aliases. Write the values out.']);
  });

  it('docs/settings.md is what the schema says', () => {
    const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    expect(page).toBe(settingsReference());
  });

  it('every example of the schema is accepted', () => {
    expect(faults(stringify(exampleSettings()))).toEqual([]);
  });
});

describe('loadSettings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('R-6.4 refuses a deployment on one machine that is to stand by, with the place and what to do', () => {
    const file = join(folder, 'standby.yaml');
    writeFileSync(file, 'cluster: a\nstandby: true\n');
    expect(() => loadSettings(file)).toThrow(`${file}:2:1: standby: only a cloud deployment stands by. Remove it`);
    expect(settingsToDeploy(file).standby).toBe(true);
  });

  it('R-6.4 a missing file is named', () => {
    const file = join(folder, 'none.yaml');
    expect(() => loadSettings(file)).toThrow(`${file}: there is no such file. Name the settings file with --settings`);
  });

  it('R-6.4 a folder is no settings file', () => {
    expect(() => loadSettings(folder)).toThrow('it could not be read (EISDIR)');
  });

  it('R-6.4 a huge file is refused unread', () => {
    const file = join(folder, 'huge.yaml');
    writeFileSync(file, `# ${'x'.repeat(1_048_576)}`);
    expect(() => loadSettings(file)).toThrow('larger than 1 MiB');
  });

  it('a relative key file is looked for beside the settings file', () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, 'groups: {secret-contract: {mutation: {allow: true, digestKeyFile: key}}}');
    expect(loadSettings(file).groups['secret-contract']).toEqual({
      mutation: { allow: true, digestKeyFile: join(folder, 'key') },
    });
  });

  it('R-6.6 modules with controllers are looked for beside the settings file, and each counts once', () => {
    mkdirSync(join(folder, 'stages'));
    const file = join(folder, 'stages', 'settings.yaml');
    const [banner = '', flag = '', absolute = ''] = ['stages/banner.ts', 'flag.ts', 'a.js'].map((name) => {
      writeFileSync(join(folder, name), '');
      return join(folder, name);
    });
    writeFileSync(file, `controllers: [banner.ts, ./banner.ts, ../flag.ts, ${absolute}]`);
    const named = [banner, '/srv/more.js'];
    const expected = [banner, flag, absolute, '/srv/more.js'];
    expect(settingsOf(file, named).controllers).toEqual(expected);
    expect(settingsOf(undefined, named).controllers).toEqual(named);
    expect(settingsOf(undefined)).toEqual(defaultSettings());
  });

  it('R-6.4 a missing module is reported with its place in the settings, and what to do', () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, 'cluster: a\ncontrollers:\n  - ./there.ts\n  - ./nope.ts\n');
    writeFileSync(join(folder, 'there.ts'), '');
    expect(() => settingsOf(file, ['/srv/more.js'])).toThrow(
      new SettingsError([
        `${file}:4:5: controllers[1]: there is no such file as ${join(folder, 'nope.ts')}. A path is relative to the settings file: correct it, or remove it.`,
      ]),
    );
  });

  it('R-6.6 our own groups may be left out only where other controllers are named, in the file or beside it', () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, 'groups: {}');
    expect(settingsOf(file, ['/srv/more.js']).groups).toEqual({});
    expect(() => settingsOf(file)).toThrow(
      'groups: no controllers are installed: name a controller group in groups, or your own modules in controllers',
    );
    writeFileSync(join(folder, 'a.js'), '');
    writeFileSync(file, 'groups: {}\ncontrollers: [a.js]');
    expect(settingsOf(file).groups).toEqual({});
    writeFileSync(file, 'groups: {}\ncontrollers: 1');
    expect(() => settingsOf(file, ['/srv/more.js'])).toThrow(
      'controllers: 1 is not allowed here. Allowed: a list of 1',
    );
  });
});

describe('settings that a cluster is left with', () => {
  const inFile = <T>(text: string, read: (file: string) => T): T => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-settings-'));
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, text);
    try {
      return read(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const ownRealm =
    "groups: {control-plane: {identity: {server: 'https://id.example.org', realms: [{namespaces: [a], realms: [master], redirectHosts: []}]}}}";

  it('R-6.8 uninstall accepts settings that permit the realm of our own account when start refuses them', () => {
    expect(() => inFile(ownRealm, settingsOf)).toThrow("the realm of evenkeel's own service account");
    expect(Object.keys(inFile(ownRealm, settingsToLeave).groups)).toEqual(['control-plane']);
  });

  it('R-6.4 uninstall refuses settings when they have a field that there is not', () => {
    expect(() => inFile('instalation: shop', settingsToLeave)).toThrow('Did you mean "installation"?');
    expect(settingsToLeave(undefined, ['/srv/a.js'])).toEqual(settingsOf(undefined, ['/srv/a.js']));
  });
});

describe('settings that are to be deployed', () => {
  const written = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-settings-'));
    const file = join(folder, 'prod.yml');
    writeFileSync(file, text);
    try {
      return settingsToDeploy(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it.each([
    ['a settings file', 'installation: shop'],
    ["a stage's file", 'settings: {installation: shop}\ncloud: {region: eu-west-1}'],
    ["a stage's file without a cloud section", 'settings:\n  installation: shop'],
  ])('R-3.8 the doctor reads them from %s', (_, text) => {
    expect(written(text).installation).toBe('shop');
    expect(written("settings:\ncloud: {region: 'x'}")).toEqual(defaultSettings());
    expect(written("cloud: {region: 'x'}")).toEqual(defaultSettings());
  });

  it("R-6.4 what is wrong in a stage's file is named with its place in that file", () => {
    expect(() => written('cloud: {}\nsettings:\n  instalation: shop')).toThrow(
      /prod\.yml:3:3: instalation: there is no such setting/,
    );
  });
});
