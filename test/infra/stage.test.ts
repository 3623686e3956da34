import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadStage, parseStage } from '../../infra/stage.ts';
import { aStage } from './a-stage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('loadStage', () => {
  it.each(['dev', 'prod', 'emulator'])('R-6.3 stages/%s.yml is a stage', (name) => {
    const stage = loadStage(name, ROOT);
    expect(stage.name).toBe(name);
    expect(stage.groups).toContain('secret-contract');
    expect(stage.settings.installation).toBe(name);
  });

  it('R-6.3 the stage prod cannot be deleted by accident, and a test stage can', () => {
    expect(loadStage('prod', ROOT).cloud.deletionProtection).toBe(true);
    expect(loadStage('dev', ROOT).cloud.deletionProtection).toBe(false);
  });

  it.each(['prdo', 'nope', 'Prod', '../prod', 'local', ''])(
    'R-6.4 stage "%s" is refused, with those there are',
    (name) => {
      expect(() => loadStage(name, ROOT)).toThrow(`there is no stage "${name}".`);
      expect(() => loadStage(name, ROOT)).toThrow('There are: dev, emulator, prod.');
    },
  );

  it('R-6.4 the message suggests the word that was probably meant', () => {
    expect(() => loadStage('prdo', ROOT)).toThrow('Did you mean "prod"?');
  });
});

describe('parseStage', () => {
  const parse = (text: string) => parseStage('test', text, 'stages/test.yml');

  it.each([
    ['settings: {', 'stages/test.yml:1:12: not valid YAML'],
    [
      'settings: {}\nsetings: {}',
      'stages/test.yml: a stage has the sections settings and cloud, the field controllers with the paths of modules, and nothing else.',
    ],
    ['settings: {concurency: 3}\ncloud: {}', 'concurency: there is no such setting. Did you mean "concurrency"?'],
    ['settings: {concurrency: many}\ncloud: {}', 'stages/test.yml:1:'],
    ['settings: {}\ncloud: {memry: {}}', 'cloud.memry: there is no such field. Did you mean "memory"?'],
    ['settings: {}\ncloud: {region: mars}', 'stages/test.yml: cloud.region: is no AWS region.'],
    ['settings: {}\ncloud: {logRetentionDays: 8}', 'cloud.logRetentionDays: is none of 1, 3, 5'],
    ['settings: {}\ncloud: {vpc: {subnetIds: [], securityGroupIds: [sg-1]}}', 'cloud.vpc.subnetIds: names no subnet.'],
    [
      'settings: {}\ncloud: {vpc: {subnetIds: [subnet-1, net], securityGroupIds: [sg-1]}}',
      'cloud.vpc.subnetIds[1]: is no',
    ],
    ['settings: {}\ncloud: {}\nsettings: {}', '3:1: not valid YAML: the key "settings" stands twice'],
    [
      "settings: {groups: {control-plane: {identity: {server: 'https://id.example.org', realms: [{namespaces: [a], realms: [Master], redirectHosts: []}]}}}}\ncloud: {}",
      "groups.control-plane.identity.realms[0].realms[0]: master is the realm of evenkeel's own service account",
    ],
    ['settings: {}\ncloud: {relay: pod}', 'cloud.relay: is neither function nor container.'],
    [
      'settings: {cluster: east}\ncloud: {}',
      'settings.cluster: the clusters of a cloud deployment are SSM parameters.',
    ],
    [
      'settings: {metrics: {port: 1}}\ncloud: {}',
      'settings.metrics: the metrics of a cloud deployment are in CloudWatch',
    ],
    [
      'settings: {groups: {}, controllers: [./banner.ts]}\ncloud: {}',
      'settings.controllers: a stage names its modules next to its settings',
    ],
    [
      'settings: {intervals: {sweep: 90s}}\ncloud: {}',
      'settings.intervals.sweep: EventBridge schedules take whole minutes.',
    ],
    ['settings: {intervals: {sweep: off}}\ncloud: {}', 'settings.intervals.sweep: a cloud deployment needs'],
    [
      'settings: {groups: {secret-contract: {mutation: {allow: true, digestKeyFile: /k}}}}\ncloud: {}',
      'digestKeyFile: a cloud deployment makes its key in Secrets Manager.',
    ],
  ])('R-6.4 %j is refused, with the place', (text, fault) => {
    expect(() => parse(text)).toThrow(fault);
  });

  it.each([
    [
      'has too many YAML aliases. Write the values out.',
      'a: &a [x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nsettings: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
    ],
    ['larger than 1 MiB.', `settings: {installation: ${'x'.repeat(1_048_576)}}`],
  ])('R-6.4 parseStage refuses a file with the words: %s', (fault, text) => {
    expect(() => parse(text)).toThrow(`stages/test.yml: ${fault}`);
  });

  it('R-6.4 all errors are reported at once', () => {
    expect(() => parse('settings: {concurrency: many}\ncloud: {region: mars, relay: pod}')).toThrow(
      /concurrency[\s\S]*cloud\.region[\s\S]*cloud\.relay/,
    );
  });

  it.each([
    ['settings', 'settings: {groups: {t4: {}}}', ['t4']],
    ['cloud', 'cloud: {relay: container}', ['secret-contract']],
    ['neither section', '', ['secret-contract']],
  ])('R-5.23 a file is a stage when it has %s alone', (_, text, groups) => {
    expect(parse(text).groups).toEqual(expect.arrayContaining(groups));
  });

  it('R-6.3 a field that a file leaves out has a default', () => {
    expect(aStage().cloud).toMatchObject({ deletionProtection: true, relay: 'function', logRetentionDays: 30 });
  });
});
