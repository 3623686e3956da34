import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { releaseTemplate, type SynthesizedTemplate } from '../../infra/release-template.ts';
import { writeRelease } from '../../infra/write-release.ts';

const BUCKET = { Ref: 'ServerlessDeploymentBucket' };
const KEY = 'serverless/evenkeel/prod/1796036167232-2026-11-30T10:56:07.232Z';

function lambda(S3Key: unknown) {
  const Properties = { Code: { S3Bucket: BUCKET, S3Key }, Runtime: 'nodejs24.x' };
  return { Type: 'AWS::Lambda::Function', Properties, DependsOn: ['SweepLogGroup'] };
}

const TEMPLATE: SynthesizedTemplate = {
  AWSTemplateFormatVersion: '2010-09-09',
  Resources: {
    ServerlessDeploymentBucket: { Type: 'AWS::S3::Bucket' },
    ServerlessDeploymentBucketPolicy: { Type: 'AWS::S3::BucketPolicy', Properties: { Bucket: BUCKET } },
    SweepLambdaFunction: lambda(`${KEY}/sweep.zip`),
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'evenkeel-prod' } },
  },
  Outputs: {
    ServerlessDeploymentBucketName: { Value: BUCKET },
    Deployment: { Value: { 'Fn::GetAtt': ['Table', 'Arn'] } },
  },
};
const FILES = new Map([['sweep.zip', 'sweep-ab12.zip']]);

describe('the template of a release', () => {
  it('R-6.3 takes the code from the bucket of a parameter, and has all other parts as they were', () => {
    const { Resources, Outputs, Parameters, ...rest } = releaseTemplate(TEMPLATE, FILES, 'evenkeel/1/');
    expect(rest).toEqual({ AWSTemplateFormatVersion: '2010-09-09' });
    expect(Resources).toEqual({
      SweepLambdaFunction: {
        ...lambda(''),
        Properties: {
          Runtime: 'nodejs24.x',
          Code: { S3Bucket: { Ref: 'CodeBucket' }, S3Key: { 'Fn::Sub': `\${CodePrefix}sweep-ab12.zip` } },
        },
      },
      Table: TEMPLATE.Resources.Table,
    });
    expect(Outputs).toEqual({ Deployment: TEMPLATE.Outputs.Deployment });
    expect(Parameters).toMatchObject({ CodeBucket: { Type: 'String' }, CodePrefix: { Default: 'evenkeel/1/' } });
  });

  it.each<[string, SynthesizedTemplate['Resources']]>([
    ['a function has no zip file', { Wake: lambda(`${KEY}/wake.zip`) }],
    ['a function names its code in another way', { Sweep: lambda({ 'Fn::Sub': 'sweep.zip' }) }],
    ['another part names the bucket', { Rule: { Type: 'AWS::Events::Rule', Properties: { Bucket: BUCKET } } }],
  ])('R-6.4 is refused when %s', (_title, Resources) => {
    expect(() => releaseTemplate({ ...TEMPLATE, Resources }, FILES, 'p/')).toThrow('no release was written');
  });
});

describe('writeRelease', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
    writeFileSync(join(folder, 'cloudformation-template-update-stack.json'), JSON.stringify(TEMPLATE));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const zipped = (content: string) => {
    writeFileSync(join(folder, 'sweep.zip'), content);
    const release = writeRelease(folder, 'p/');
    const { Resources } = JSON.parse(readFileSync(join(release, 'template.json'), 'utf8')) as SynthesizedTemplate;
    return { files: readdirSync(join(release, 'code')), template: JSON.stringify(Resources) };
  };

  it('R-6.3 names each zip file by its content, and leaves none of the package before', () => {
    const first = zipped('one');
    expect(first.files).toEqual([expect.stringMatching(/^sweep-[0-9a-f]{16}\.zip$/)]);
    expect(first.template).toContain(`\${CodePrefix}${first.files[0]}`);
    expect(zipped('one')).toEqual(first);
    mkdirSync(join(folder, 'release/code/old'), { recursive: true });
    const second = zipped('two');
    expect(second.files).toHaveLength(1);
    expect(second.files).not.toEqual(first.files);
    expect(second.template).toContain(second.files[0]);
  });
});
