import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resources } from '../../infra/serverless-parts.ts';
import { aRichStage, aStage } from '../infra/a-stage.ts';
import { handlerPermissions } from './support/cloudformation-handlers.ts';
import { covers, type Grant, grantsOf, type Statement } from './support/iam-policy.ts';

const text = readFileSync(new URL('../../infra/deployer-policy.json', import.meta.url), 'utf8');
const { Statement: statements } = JSON.parse(text) as { readonly Statement: readonly Statement[] };

/** The resources that osls adds for the functions. */
const MADE_BY_OSLS = [
  'AWS::Events::Rule',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
];

/** Permissions that CloudFormation's handlers need only for properties that no resource of a stage has. */
const UNUSED: readonly RegExp[] = [
  /^(elasticfilesystem|firehose|kinesis|s3files|s3tables|ec2):/,
  // Only the secrets and the topic have a key of their own. An operator who sets such a key also permits its use.
  /^kms:/,
  // Global tables, imports, streams, capacity and insights. Handlers never write items.
  /^dynamodb:(AssociateTableReplica|CreateTableReplica|ImportTable|DescribeImport|(Disable|Enable|Update)KinesisStreamingDestination)$/,
  /^dynamodb:(BatchWriteItem|DeleteItem|PutItem|UpdateItem|UpdateContributorInsights|(Delete|Put)ResourcePolicy)$/,
  /^iam:(CreateServiceLinkedRole|(Attach|Detach)(Role|User|Group)Policy|(Put|Delete)RolePermissionsBoundary)$/,
  /^lambda:(AssociateRuntimeAlias|PassCapacityProvider|GetLayerVersion|GetCodeSigningConfig)$/,
  /^logs:(AssociateKmsKey|DisassociateKmsKey|CreateLogDelivery|CreateLogStream|PutLogEvents|DescribeLogStreams)$/,
  /^logs:(Delete|Put|Describe)(DataProtectionPolicy|IndexPolicy|ResourcePolicy|ResourcePolicies|BearerTokenAuthentication|LogGroupDeletionProtection)$/,
  /^s3:(Get|Put|Create|Update|Delete)\w*(Accelerate|Analytics|Intelligent|Inventory|Lifecycle|Metrics|Metadata|Replication|ObjectLock|ObjectAcl)/,
  /^s3:(GetObjectMetadata|ListTagsForResource|TagResource|UntagResource|REST\.PUT\.OBJECT)$/,
  /^secretsmanager:(RemoveRegionsFromReplication|ReplicateSecretToRegions)$/,
  /^sns:PutDataProtectionPolicy$/,
];

/**
 * The calls that osls makes to deploy and to remove, from its sources, and the additional calls of doctor and repair.
 */
const CALLED = [
  ...['CreateChangeSet', 'CreateStack', 'DeleteChangeSet', 'DeleteStack', 'DescribeChangeSet', 'DescribeStackEvents'],
  ...['DescribeStackResource', 'DescribeStacks', 'ExecuteChangeSet', 'GetTemplate', 'ListStackResources'],
  ...['SetStackPolicy', 'UpdateStack', 'UpdateTerminationProtection', 'ValidateTemplate'],
  ...['DetectStackDrift', 'DescribeStackDriftDetectionStatus', 'DescribeStackResourceDrifts'],
].map((name) => `cloudformation:${name}`);
const ALSO_CALLED = [
  ...['s3:ListBucket', 's3:ListBucketVersions', 's3:GetObject', 's3:PutObject', 's3:DeleteObject'],
  ...['lambda:GetFunction', 'ssm:GetParametersByPath', 'dynamodb:DescribeTable', 'dynamodb:Scan', 'dynamodb:GetItem'],
  ...['sqs:ListQueues', 'sqs:GetQueueAttributes', 'secretsmanager:GetSecretValue', 'servicequotas:GetServiceQuota'],
  ...['eks:DescribeAccessEntry', 'eks:ListAccessEntries', 'dynamodb:Query'],
];

describe('infra/deployer-policy.json', () => {
  const grants = grantsOf(statements);
  const isPermitted = (action: string) => grants.some((grant) => coversAction(grant, action));

  it('R-5.12 permits what CloudFormation needs for every type of part that a stage can have', () => {
    const stages = [aStage(), aRichStage(), aStage({ cloud: { relay: 'container' } })];
    const types = new Set([
      ...MADE_BY_OSLS,
      ...stages.flatMap((stage) => Object.values(resources(stage, '0.0.0')).map(({ Type }) => Type)),
    ]);
    const needed = handlerPermissions([...types]);
    const missing = Object.entries(needed).flatMap(([type, actions]) =>
      actions
        .filter((action) => !isPermitted(action) && !UNUSED.some((pattern) => pattern.test(action)))
        .map((action) => `${type}: ${action}`),
    );
    expect(Object.values(needed).flat().length).toBeGreaterThan(200);
    expect(missing).toEqual([]);
  });

  it('R-5.12 permits what osls, doctor and repair call', () => {
    expect([...CALLED, ...ALSO_CALLED].filter((action) => !isPermitted(action))).toEqual([]);
  });

  it('R-5.12 names the parts of stages alone when an action has a resource', () => {
    const wide = statements.filter(({ Resource }) => [Resource].flat().includes('*')).map(({ Sid }) => Sid);
    expect(wide).toEqual(['WithoutResource', 'EventSources']);
    for (const { resource } of grants.filter((grant) => grant.resource !== '*'))
      expect(resource).toMatch(/evenkeel[-/]|:event-source-mapping:/);
    const pass = grants.filter(({ action }) => action === 'iam:PassRole');
    expect(pass.map(({ condition }) => condition)).toEqual([
      { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    ]);
  });

  it('R-5.12 fits into one managed policy of IAM', () => {
    expect(JSON.stringify(JSON.parse(text)).length).toBeLessThanOrEqual(6_144);
  });
});

/** Ignores the resource and the condition. */
function coversAction({ condition: _, ...grant }: Grant, action: string): boolean {
  return covers({ ...grant, resource: '*' }, action, '');
}
