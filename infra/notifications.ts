import type { Resources } from './cloudformation.ts';
import { type CfnValue, ref } from './cloudformation.ts';
import type { Stage } from './stage.ts';

const TOPIC = 'AlarmTopic';

/** The topic of the alarms, unless the stage names its own topic. */
export function notifications({ name, cloud }: Stage): Resources {
  const { email, topicArn } = cloud.alarms;
  if (topicArn !== undefined) return {};
  return {
    [TOPIC]: {
      Type: 'AWS::SNS::Topic',
      Properties: {
        TopicName: `evenkeel-${name}-alarms`,
        ...(email !== undefined && { Subscription: [{ Protocol: 'email', Endpoint: email }] }),
      },
    },
  };
}

export function alarmTarget({ cloud }: Stage): CfnValue {
  return cloud.alarms.topicArn ?? ref(TOPIC);
}
