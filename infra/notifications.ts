import type { Resources } from './cloudformation.ts';
import { type CfnValue, ref, substitute } from './cloudformation.ts';
import { policyOverTls } from './policy-over-tls.ts';
import type { Stage } from './stage.ts';

const TOPIC = 'AlarmTopic';

/** Only the alarms of this account and region (CloudWatch's user guide, "Notifying users on alarm changes"). */
const PUBLISHED_BY_ALARMS: CfnValue = {
  Sid: 'PublishedByAlarms',
  Effect: 'Allow',
  Principal: { Service: 'cloudwatch.amazonaws.com' },
  Action: 'sns:Publish',
  Resource: ref(TOPIC),
  Condition: {
    StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
    ArnLike: {
      'aws:SourceArn': substitute(`arn:\${AWS::Partition}:cloudwatch:\${AWS::Region}:\${AWS::AccountId}:alarm:*`),
    },
  },
};

/** The topic of the alarms, unless the stage names its own topic. */
export function notifications({ name, cloud }: Stage): Resources {
  const { email, topicArn, keyArn } = cloud.alarms;
  if (topicArn !== undefined) return {};
  const policy = policyOverTls('sns:Publish', ref(TOPIC), [PUBLISHED_BY_ALARMS]);
  return {
    [TOPIC]: {
      Type: 'AWS::SNS::Topic',
      Properties: {
        TopicName: `evenkeel-${name}-alarms`,
        ...(email !== undefined && { Subscription: [{ Protocol: 'email', Endpoint: email }] }),
        ...(keyArn !== undefined && { KmsMasterKeyId: keyArn }),
      },
    },
    AlarmTopicPolicy: { Type: 'AWS::SNS::TopicPolicy', Properties: { Topics: [ref(TOPIC)], PolicyDocument: policy } },
  };
}

export function alarmTarget({ cloud }: Stage): CfnValue {
  return cloud.alarms.topicArn ?? ref(TOPIC);
}
