import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../lib/deployment/package/package-root.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { AwsApi } from './support/aws-api.ts';
import { DeploymentCopy } from './support/deployment-copy.ts';
import { Emulator, freePort } from './support/emulator.ts';
import { PackagedStage } from './support/packaged-stage.ts';

const STAGE = 'dev';
const BUCKET = 'releases-of-a-team';
const CLOUDFORMATION = '2010-05-15';

describe('the release of a stage', () => {
  const opened = new AsyncDisposableStack();
  let packaged: PackagedStage;

  beforeAll(async () => {
    packaged = await PackagedStage.of(STAGE, opened.use(new DeploymentCopy()));
  });
  afterAll(() => opened.disposeAsync());

  it('R-6.3 its template has nothing that cfn-lint knows to be wrong, and names each of its zip files', () => {
    const file = join(packaged.release, 'template.json');
    expect(packaged.lint(file)).toBe('');
    const text = readFileSync(file, 'utf8');
    const files = readdirSync(join(packaged.release, 'code'));
    expect(files).toHaveLength(5);
    for (const zip of files) expect(text).toContain(`\${CodePrefix}${zip}"`);
    // The template belongs to a stage, and is deployed as a whole.
    expect(Object.keys(JSON.parse(text).Parameters)).toEqual(['CodeBucket', 'CodePrefix']);
  });

  it('R-6.3 CloudFormation deploys it by itself from a bucket, and its functions run', async () => {
    const port = await freePort();
    const emulator = opened.use(await Emulator.start(port, `http://127.0.0.1:${port}`));
    const aws = new AwsApi(emulator.url);
    const put = (key: string, file: string) =>
      aws.rest('s3', 'PUT', `/${BUCKET}/${key}`, {}, Uint8Array.from(readFileSync(join(packaged.release, file))));
    const place = '<LocationConstraint>eu-central-1</LocationConstraint>';
    await aws.rest('s3', 'PUT', `/${BUCKET}`, {}, `<CreateBucketConfiguration>${place}</CreateBucketConfiguration>`);
    await put('template.json', 'template.json');
    for (const zip of readdirSync(join(packaged.release, 'code'))) {
      await put(`evenkeel/${packageVersion()}/${zip}`, join('code', zip));
    }
    const stack = { Version: CLOUDFORMATION, StackName: `evenkeel-${STAGE}` };
    await aws.query('cloudformation', {
      Action: 'CreateStack',
      ...stack,
      TemplateURL: `https://s3.eu-central-1.amazonaws.com/${BUCKET}/template.json`,
      'Capabilities.member.1': 'CAPABILITY_NAMED_IAM',
      'Parameters.member.1.ParameterKey': 'CodeBucket',
      'Parameters.member.1.ParameterValue': BUCKET,
    });
    await eventually('stack', async () => {
      const answer = await aws.query('cloudformation', { Action: 'DescribeStacks', ...stack });
      const status = /<StackStatus>(\w+)<\/StackStatus>/.exec(answer)?.[1] ?? '';
      if (/FAILED|ROLLBACK/.test(status)) throw new Error(`the stack is ${status}:\n${emulator.log().slice(-4_000)}`);
      return status === 'CREATE_COMPLETE' ? true : undefined;
    });
    // The sweep reads the table and the list of clusters that the stack made.
    expect(await aws.invoke(`evenkeel-${STAGE}-sweep`)).toBe('null');
  });
});
