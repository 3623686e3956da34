import { describe, expect, it } from 'vitest';
import type { Resource } from '../../infra/cloudformation.ts';
import { resources } from '../../infra/serverless-parts.ts';
import { parseStage, type Stage } from '../../infra/stage.ts';
import { aRichStage, aStage } from './a-stage.ts';

const KEY = 'arn:aws:kms:eu-central-1:111122223333:key/k';

function ofType(stage: Stage, type: string): [string, Resource][] {
  return Object.entries(resources(stage, '0.0.0')).filter(([, { Type }]) => Type === type);
}

interface PolicyStatement {
  readonly Effect: string;
  readonly Principal: unknown;
  readonly Action: string;
  readonly Resource: unknown;
  readonly Condition: object;
}

function statements({ Properties }: Resource): readonly PolicyStatement[] {
  const { Statement } = Properties.PolicyDocument as unknown as { readonly Statement: readonly PolicyStatement[] };
  return Statement;
}

describe('a queue', () => {
  it('R-5.12 refuses every request without TLS, the queues of dead letters as well', () => {
    const queues = ofType(aRichStage(), 'AWS::SQS::Queue').map(([id]) => id);
    const policies = ofType(aRichStage(), 'AWS::SQS::QueuePolicy').map(([, policy]) => policy);
    expect(queues).toHaveLength(3 * 4 + 2);
    expect(policies.map(({ Properties }) => Properties.Queues)).toEqual(queues.map((id) => [{ Ref: id }]));
    for (const [index, policy] of policies.entries()) {
      expect(statements(policy)).toEqual([
        {
          Sid: 'OverTlsAlone',
          Effect: 'Deny',
          Principal: '*',
          Action: 'sqs:*',
          Resource: { 'Fn::GetAtt': [queues[index], 'Arn'] },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ]);
    }
  });
});

describe('the topic of the alarms', () => {
  const policyOf = (stage: Stage) => statements(ofType(stage, 'AWS::SNS::TopicPolicy')[0]?.[1] as Resource);

  it('R-5.12 takes what alarms of the account publish, and nothing without TLS', () => {
    const [allow, deny, ...more] = policyOf(aStage());
    expect(more).toEqual([]);
    expect(allow).toMatchObject({
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(deny).toMatchObject({
      Effect: 'Deny',
      Action: 'sns:Publish',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
  });

  it('R-5.12 is encrypted with the key that the stage names', () => {
    const keyOf = (stage: Stage) => ofType(stage, 'AWS::SNS::Topic')[0]?.[1].Properties.KmsMasterKeyId;
    expect(keyOf(aStage({ cloud: { alarms: { keyArn: KEY } } }))).toBe(KEY);
    expect(keyOf(aStage())).toBeUndefined();
  });

  it('R-6.4 is refused a key when the stage names a topic of its own', () => {
    const cloud = { alarms: { topicArn: 'arn:aws:sns:eu-central-1:1:oncall', keyArn: KEY } };
    expect(() => parseStage('test', JSON.stringify({ cloud }), 'stages/test.yml')).toThrow(
      'stages/test.yml: cloud.alarms: has both topicArn and keyArn',
    );
  });
});
