import { EvenkeelError } from '../lib/core/errors.ts';
import type { CfnValue } from './cloudformation.ts';

/** A template as osls synthesizes it. */
export interface SynthesizedTemplate {
  readonly [section: string]: unknown;
  readonly Resources: Readonly<Record<string, SynthesizedResource>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

interface SynthesizedResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Where osls puts the code of the functions. A release uses a bucket of the person who deploys it. */
const BUCKET_PARTS: ReadonlySet<string> = new Set(['ServerlessDeploymentBucket', 'ServerlessDeploymentBucketPolicy']);
const BUCKET_OUTPUT = 'ServerlessDeploymentBucketName';
/** The rules of S3 for names of buckets. */
const BUCKET_NAME = '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$';

/** The parameters of a release, in CloudFormation's form. */
function parameters(prefix: string): Readonly<Record<string, CfnValue>> {
  return {
    CodeBucket: {
      Type: 'String',
      AllowedPattern: BUCKET_NAME,
      Description: 'The bucket with the zip files of the functions, in the region of the stack.',
    },
    CodePrefix: {
      Type: 'String',
      Default: prefix,
      AllowedPattern: '^([^/].*/)?$',
      Description:
        'The beginning of the keys of the zip files, with a slash at the end; empty for the top of the bucket.',
    },
  };
}

/**
 * Makes of a synthesized template one that CloudFormation takes by itself: without the bucket of osls, and with parameters for the
 * bucket that has the code.
 * @param files the name of each function's zip file in the release, by its name in the template, such as `sweep.zip`. A name
 * changes with the content, because CloudFormation updates a function only when its key changes.
 * @param prefix the default beginning of the keys, such as `evenkeel/0.2.0/`.
 * @throws EvenkeelError UNKNOWN_TEMPLATE for a template in another form, such as that of another release of osls.
 */
export function releaseTemplate(
  template: SynthesizedTemplate,
  files: ReadonlyMap<string, string>,
  prefix: string,
): SynthesizedTemplate {
  const { Resources, Outputs, ...sections } = template;
  const resources = Object.entries(Resources)
    .filter(([id]) => !BUCKET_PARTS.has(id))
    .map(([id, resource]) => [id, withCode(id, resource, files)] as const);
  const outputs = Object.entries(Outputs).filter(([name]) => name !== BUCKET_OUTPUT);
  const released = {
    ...sections,
    Parameters: parameters(prefix),
    Resources: Object.fromEntries(resources),
    Outputs: Object.fromEntries(outputs),
  };
  if (!JSON.stringify(released).includes('ServerlessDeploymentBucket')) return released;
  throw unknownTemplate('a part other than a function names the bucket of osls');
}

function withCode(id: string, resource: SynthesizedResource, files: ReadonlyMap<string, string>): SynthesizedResource {
  if (resource.Type !== 'AWS::Lambda::Function') return resource;
  const { S3Key } = (resource.Properties?.Code ?? {}) as { readonly S3Key?: unknown };
  const name = typeof S3Key === 'string' ? S3Key.slice(S3Key.lastIndexOf('/') + 1) : '';
  const file = files.get(name);
  if (file === undefined) throw unknownTemplate(`function ${id} has no zip file`);
  const Code = { S3Bucket: { Ref: 'CodeBucket' }, S3Key: { 'Fn::Sub': `\${CodePrefix}${file}` } };
  return { ...resource, Properties: { ...resource.Properties, Code } };
}

function unknownTemplate(why: string): EvenkeelError {
  return new EvenkeelError(
    'UNKNOWN_TEMPLATE',
    `no release was written: ${why}. Use the version of osls that this package was made with (package.json).`,
  );
}
