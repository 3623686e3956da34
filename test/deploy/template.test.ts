import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { loadStage, type Stage } from '../../infra/stage.ts';
import { tableDefinition } from '../../lib/adapters/aws/dynamodb-table.ts';
import { MAX_RECEIVE_COUNT } from '../../lib/ports/queue.ts';
import { DeploymentCopy } from './support/deployment-copy.ts';
import { PackagedStage } from './support/packaged-stage.ts';

const MAX_BUNDLE_BYTES = 2_200_000;

/** Every optional part at once. */
const FULL = {
  settings: {
    groups: {
      'secret-contract': { mutation: { allow: true } },
      t4: {},
      'control-plane': { identity: { server: 'https://id.example', realm: 'r', clientId: 'evenkeel' } },
    },
    concurrency: 1_000,
    resyncConcurrency: 2,
    intervals: { resync: '1h' },
  },
  cloud: {
    relay: 'container',
    vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
    secretsKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-000000000000',
    alarms: { topicArn: 'arn:aws:sns:eu-central-1:111122223333:oncall' },
    tags: { team: 'platform' },
    logRetentionDays: 7,
  },
};

let copy: DeploymentCopy;
const packaged: Record<string, PackagedStage> = {};
const stages: Record<string, Stage> = {};

beforeAll(async () => {
  copy = new DeploymentCopy();
  copy.write('stages/full.yml', stringify(FULL));
  // One after the other: they write the same bundles.
  for (const name of ['prod', 'full', 'dev']) {
    packaged[name] = await PackagedStage.of(name, copy);
    stages[name] = loadStage(name, copy.folder);
  }
});
afterAll(() => copy?.[Symbol.dispose]());

function packagedStage(name: string): PackagedStage {
  const found = packaged[name];
  if (found === undefined) throw new Error(`${name} is not packaged`);
  return found;
}

function stageNamed(name: string): Stage {
  const found = stages[name];
  if (found === undefined) throw new Error(`${name} is not packaged`);
  return found;
}

const byReference = (value: { readonly 'Fn::GetAtt': readonly [string, string] }) => value['Fn::GetAtt'][0];

describe.each(['prod', 'full', 'dev'])('the template of stage %s', (name) => {
  it('R-6.3 has nothing that cfn-lint knows to be wrong', () => {
    expect(packagedStage(name).lint()).toBe('');
  });

  it('R-5.12 each function has its own role, and runs on Node.js 24 on arm64', () => {
    const functions = packagedStage(name).ofType('AWS::Lambda::Function');
    const deployed = deployedFunctions(stageNamed(name));
    const rolesById = new Map(deployed.map((one) => [one.name, one.roleId]));
    expect(Object.values(functions).map(({ Properties }) => Properties.FunctionName)).toEqual(
      deployed.map((one) => one.name),
    );
    for (const { Properties } of Object.values(functions)) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], RecursiveLoop: 'Allow' });
      expect(byReference(Properties.Role)).toBe(rolesById.get(Properties.FunctionName));
      expect('VpcConfig' in Properties).toBe(stageNamed(name).cloud.vpc !== undefined);
      expect(JSON.stringify(Properties.Environment.Variables).length).toBeLessThan(4_000);
    }
    const roles = packagedStage(name).ofType('AWS::IAM::Role');
    expect(Object.keys(roles).sort()).toEqual([...rolesById.values()].sort());
  });

  it('R-5.12 no action has a wildcard, and a resource only where its reason stands beside it', () => {
    const { resources } = packagedStage(name);
    const documents = Object.values(resources).flatMap(({ Type, Properties }) => {
      if (Type === 'AWS::IAM::Role')
        return Properties.Policies.map((one: { PolicyDocument: unknown }) => one.PolicyDocument);
      return Type === 'AWS::IAM::ManagedPolicy' ? [Properties.PolicyDocument] : [];
    }) as { Statement: { Sid: string; Action: string[]; Resource: unknown[] }[] }[];
    expect(documents.length).toBeGreaterThan(3);
    for (const { Sid, Action, Resource } of documents.flatMap(({ Statement }) => Statement)) {
      for (const action of Action) expect(action).toMatch(/^[a-z0-9]+:[A-Za-z]+$/);
      for (const resource of Resource) {
        const text = JSON.stringify(resource);
        if (!/[*?]/.test(text)) continue;
        const allowed: Record<string, RegExp> = {
          ReadClusterTokens: /:secret:evenkeel\/[a-z]+\/clusters\/\*\/[a-z0-9-]+-\?{6}"/,
          ReadDigestKey: /:secret:evenkeel\/[a-z]+\/digest-key-\?{6}"/,
          ReadIdentitySecret: /:secret:evenkeel\/[a-z]+\/identity-client-\?{6}"/,
          WriteLog: /:log-group:\/aws\/lambda\/evenkeel-[a-z0-9-]+:\*"/,
          UseVpc: /^"\*"$/,
        };
        expect(text, `${Sid} on ${text}`).toMatch(allowed[Sid] ?? /^$/);
      }
    }
  });

  it('R-5.5 the times of passes, leases, functions and queues fit into each other', () => {
    const { passLimitMs, leaseMs, graceMs, visibilityMs, clockSkewMs } = stageNamed(name).settings.timings;
    const { resources } = packagedStage(name);
    const functions = packagedStage(name).ofType('AWS::Lambda::Function');
    expect(passLimitMs).toBeLessThan(leaseMs);
    expect(graceMs).toBeGreaterThan(clockSkewMs);
    expect(leaseMs + clockSkewMs).toBeLessThan(visibilityMs);
    for (const { Properties } of Object.values(packagedStage(name).ofType('AWS::Lambda::EventSourceMapping'))) {
      const queue = resources[byReference(Properties.EventSourceArn)]?.Properties;
      const called = functions[byReference(Properties.FunctionName)]?.Properties;
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(called.Timeout);
      if (queue.FifoQueue !== true) continue;
      expect(queue.VisibilityTimeout * 1_000).toBe(visibilityMs);
      expect(called.Timeout * 1_000).toBeLessThanOrEqual(visibilityMs - clockSkewMs);
      expect(called.Timeout * 1_000).toBeGreaterThan(passLimitMs);
    }
  });

  it('R-5.9 R-5.3 sources report single failures; each queue of a group has a bound that Lambda takes', () => {
    const mappings = Object.entries(packagedStage(name).ofType('AWS::Lambda::EventSourceMapping'));
    expect(mappings).toHaveLength(2 * stageNamed(name).groups.length + 1);
    for (const [id, { Properties }] of mappings) {
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(Properties.BatchSize).toBeLessThanOrEqual(10);
      if (id.startsWith('Wake')) continue;
      expect(Properties.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2);
      expect(Properties.ScalingConfig.MaximumConcurrency).toBeLessThanOrEqual(1_000);
    }
  });

  it('R-5.4 each queue is encrypted and has a dead-letter queue of its type, behind more receives than a pass may crash', () => {
    const queues = packagedStage(name).ofType('AWS::SQS::Queue');
    for (const [id, { Properties }] of Object.entries(queues)) {
      expect(Properties.SqsManagedSseEnabled).toBe(true);
      expect(Properties.MessageRetentionPeriod).toBe(14 * 24 * 3_600);
      expect(String(Properties.QueueName).endsWith('.fifo')).toBe(Properties.FifoQueue === true);
      if (Properties.FifoQueue === true) {
        expect(Properties).toMatchObject({
          DeduplicationScope: 'messageGroup',
          FifoThroughputLimit: 'perMessageGroupId',
        });
      }
      if (id.endsWith('DeadQueue')) continue;
      const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy;
      expect(maxReceiveCount).toBe(MAX_RECEIVE_COUNT);
      expect(maxReceiveCount * Properties.VisibilityTimeout).toBeGreaterThan(5 * 60);
      expect(queues[byReference(deadLetterTargetArn)]?.Properties.FifoQueue).toBe(Properties.FifoQueue);
    }
  });

  it('R-5.8 the table is that of the code, encrypted, and can be brought back to any second', () => {
    const { Table } = packagedStage(name).ofType('AWS::DynamoDB::Table');
    expect(Table?.Properties).toMatchObject({
      ...tableDefinition(`evenkeel-${name}`),
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: name !== 'dev',
    });
  });

  it('R-6.3 schedules call each function as often as the settings say, and repeat no failed call', () => {
    const rules = Object.entries(packagedStage(name).ofType('AWS::Events::Rule'));
    const rates = rules.map(([id, { Properties }]) => `${id.replace(/Events.*/, '')} ${Properties.ScheduleExpression}`);
    // Resync renews the Leases of an idle deployment more often than it compares (30 and 60 minutes here).
    const relay = name === 'full' ? [] : ['Relay rate(1 minute)'];
    expect(rates.sort()).toEqual([...relay, 'Resync rate(5 minutes)', 'Sweep rate(1 minute)']);
    for (const { Properties } of Object.values(packagedStage(name).ofType('AWS::Lambda::EventInvokeConfig'))) {
      expect(Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    }
  });

  it('R-5.13 logs end, and the dashboard is JSON that shows every alarm', () => {
    const stage = packagedStage(name);
    const groups = Object.values(stage.ofType('AWS::Logs::LogGroup'));
    expect(groups).toHaveLength(deployedFunctions(stageNamed(name)).length);
    for (const { Properties } of groups) {
      expect(Properties.RetentionInDays).toBe(stageNamed(name).cloud.logRetentionDays);
    }
    const { Dashboard } = stage.ofType('AWS::CloudWatch::Dashboard');
    const template: string = Dashboard?.Properties.DashboardBody['Fn::Sub'];
    const body = JSON.parse(template.replaceAll(/\$\{([\w:.]+)\}/g, '$1')) as {
      widgets: { properties: { alarms?: string[] } }[];
    };
    const alarms = Object.keys(stage.ofType('AWS::CloudWatch::Alarm'));
    expect(body.widgets[0]?.properties.alarms).toEqual(alarms.map((id) => `${id}.Arn`));
    // CloudWatch's limit for an alarm widget.
    expect(alarms.length).toBeLessThanOrEqual(100);
    for (const { Properties } of Object.values(stage.ofType('AWS::CloudWatch::Alarm'))) {
      expect(Properties).not.toHaveProperty('Metrics');
      expect(Properties.AlarmActions).toHaveLength(1);
    }
  });

  it('R-6.8 there is nothing else in the stack, and nothing of it may be read by the public', () => {
    const { resources } = packagedStage(name);
    expect(new Set(Object.values(resources).map(({ Type }) => Type))).toEqual(
      new Set(
        [
          'CloudWatch::Alarm',
          'CloudWatch::Dashboard',
          'DynamoDB::Table',
          'Events::Rule',
          'IAM::Role',
          ...(name === 'full' ? ['IAM::ManagedPolicy', 'SecretsManager::Secret'] : ['SNS::Topic', 'SNS::TopicPolicy']),
          'Lambda::EventInvokeConfig',
          'Lambda::EventSourceMapping',
          'Lambda::Function',
          'Lambda::Permission',
          'Logs::LogGroup',
          'S3::Bucket',
          'S3::BucketPolicy',
          'SQS::Queue',
          'SQS::QueuePolicy',
          'SSM::Parameter',
        ].map((type) => `AWS::${type}`),
      ),
    );
    expect(resources.ServerlessDeploymentBucket?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
    for (const { Properties } of Object.values(packagedStage(name).ofType('AWS::Lambda::Permission'))) {
      expect(Properties.Principal).toBe('events.amazonaws.com');
      expect(Properties.SourceArn).toBeDefined();
    }
  });
});

describe('what a deployment packages', () => {
  it.each(['reconcile', 'wake', 'sweep', 'resync', 'relay'])(
    'R-6.3 the bundle of %s is small, and has nothing of tests and embedded parts',
    (part) => {
      const file = join(copy.folder, 'infra/generated', part, 'index.mjs');
      expect(readFileSync(file).length).toBeLessThan(MAX_BUNDLE_BYTES);
      const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
      expect(sources.length).toBeGreaterThan(100);
      const unneeded =
        /client-node|vitest|client-ssm|client-secrets|lib\/testing|adapters\/(local|memory|apiserver|embedded)|examples\//;
      expect(sources.filter((source) => unneeded.test(source))).toEqual([]);
      // It can be loaded by itself, from a folder where there is nothing else.
      const script = `const { handler } = await import(${JSON.stringify(file)}); process.stdout.write(typeof handler);`;
      const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: '/', env: {} });
      expect(loaded.toString()).toBe('function');
    },
  );

  it('R-6.3 a function is packaged with its own bundle alone', () => {
    const folder = packagedStage('prod').folder;
    const listed = execFileSync('python3', ['-m', 'zipfile', '-l', join(folder, 'sweep.zip')]).toString();
    expect(listed.match(/infra\/\S+/g)).toEqual([
      'infra/generated/sweep/index.mjs',
      'infra/generated/sweep/index.mjs.map',
    ]);
  });

  it('R-5.12 the outputs name the role of each identity, what Leases call the deployment, and whether alarms have a recipient', () => {
    expect(Object.keys(packagedStage('prod').outputs).sort()).toEqual([
      'AlarmRecipient',
      'Deployment',
      'ReconcileSecretContractRoleArn',
      'RelayRoleArn',
      'ResyncRoleArn',
      'ServerlessDeploymentBucketName',
    ]);
    expect(packagedStage('full').outputs).toHaveProperty('RelayPolicyArn');
  });

  it('R-6.4 an unknown stage is refused with the known ones', async () => {
    const { code, output } = await copy.serverless('package', '--stage', 'prdo');
    expect(code).not.toBe(0);
    expect(output).toContain('there is no stage "prdo". Did you mean "prod"? There are: dev, emulator, full, prod.');
    expect(output).not.toMatch(/^ +at /m);
  });

  it('R-6.4 an invalid stage file is refused with file, line and column of every error', async () => {
    copy.write('stages/bad.yml', 'settings: {concurency: 1}\ncloud: {region: mars}\n');
    const { code, output } = await copy.serverless('package', '--stage', 'bad');
    expect(code).not.toBe(0);
    expect(output).toContain('stages/bad.yml:1:12: concurency: there is no such setting. Did you mean "concurrency"?');
    expect(output).toContain('stages/bad.yml: cloud.region: is no AWS region.');
  });
});
