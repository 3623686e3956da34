import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkKeptNames, deploymentNotes } from '../../infra/before-deployment.ts';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { resources } from '../../infra/serverless-parts.ts';
import { loadStage, type Stage } from '../../infra/stage.ts';
import { aRichStage, aStage } from './a-stage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** By these AWS knows a resource in the whole account, whatever its region. */
const ACCOUNT_NAMES: Readonly<Record<string, string>> = {
  'AWS::IAM::Role': 'RoleName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
};

function inRegion(region: string, names: 'stage' | 'region', name = 'test'): Stage {
  const settings = { groups: { 'control-plane': {}, 'secret-contract': {} } };
  return aStage({ settings, cloud: { names, region, relay: 'container' } }, name);
}

function accountNames(stage: Stage): string[] {
  return Object.values(resources(stage, '0.0.0')).flatMap(({ Type, Properties }) => {
    const field = ACCOUNT_NAMES[Type];
    return field === undefined ? [] : [Properties[field] as string];
  });
}

function roles(stage: Stage): Map<string, string> {
  const made = Object.entries(resources(stage, '0.0.0')).filter(([, { Type }]) => Type === 'AWS::IAM::Role');
  return new Map(made.map(([id, { Properties }]) => [id, String(Properties.RoleName)]));
}

describe('names that are unique in an account', () => {
  it('R-5.23 differ from one region to another when the stage says region', () => {
    const all = [...accountNames(inRegion('eu-central-1', 'region')), ...accountNames(inRegion('eu-west-1', 'region'))];
    expect(all.length).toBeGreaterThan(10);
    expect(new Set(all).size).toBe(all.length);
  });

  it('R-5.23 stay within the limit of IAM, and apart, when stage, group and region are long', () => {
    const names = ['ap-southeast-1', 'ap-southeast-2'].flatMap((region) =>
      accountNames(inRegion(region, 'region', 'a-long-name-of-stage')),
    );
    expect(Math.max(...names.map((name) => name.length))).toBe(64);
    expect(new Set(names).size).toBe(names.length);
  });

  it('R-6.8 are those of earlier releases when the stage says nothing', () => {
    expect(roles(aStage()).get('SweepRole')).toBe('evenkeel-test-sweep');
  });

  it.each(['dev', 'prod'])('R-5.23 hold the region that is deployed to when stage %s is new', (name) => {
    expect(roles(loadStage(name, ROOT, 'us-east-2')).get('SweepRole')).toBe(`evenkeel-${name}-sweep-us-east-2`);
  });
});

describe('a deployment', () => {
  it.each([
    ['region', 'stage'],
    ['stage', 'region'],
  ] as const)('R-5.23 is refused when the stage says %s and its stack has the names of %s', (names, deployed) => {
    const stack = roles(inRegion('eu-west-1', deployed));
    expect(() => checkKeptNames(inRegion('eu-west-1', names), stack)).toThrow(`Write cloud.names: ${deployed}`);
  });

  it.each(['stage', 'region'] as const)(
    'R-5.23 continues when the stack also has the names of %s, or is new',
    (names) => {
      const stage = inRegion('eu-west-1', names);
      expect(() => checkKeptNames(stage, roles(stage))).not.toThrow();
      expect(() => checkKeptNames(stage, new Map())).not.toThrow();
      expect(deployedFunctions(stage).length).toBeGreaterThan(3);
    },
  );

  it('R-5.22 says so when its alarms have no recipient', () => {
    expect(deploymentNotes(aStage())).toEqual([
      'The alarms of stage test reach nobody: write cloud.alarms.email or cloud.alarms.topicArn into stages/test.yml.',
    ]);
    expect(deploymentNotes(aRichStage())).toEqual([]);
    expect(deploymentNotes(aStage({ cloud: { alarms: { email: 'oncall@example.com' } } }))).toEqual([]);
  });
});
