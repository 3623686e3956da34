import { parseStage, type Stage } from '../../infra/stage.ts';

/** A stage with these sections, as in a file. */
export function aStage(sections: { settings?: object; cloud?: object } = {}, name = 'test'): Stage {
  const settings = { groups: { 'secret-contract': {} }, ...sections.settings };
  return parseStage(name, JSON.stringify({ settings, cloud: sections.cloud ?? {} }), `stages/${name}.yml`);
}

/** A stage with every optional part. */
export function aRichStage(): Stage {
  return aStage({
    settings: {
      groups: {
        'secret-contract': { mutation: { allow: true } },
        t4: {},
        'control-plane': { identity: { server: 'https://id.example', realm: 'r', clientId: 'evenkeel' } },
      },
    },
    cloud: {
      vpc: { subnetIds: ['subnet-0a'], securityGroupIds: ['sg-0b'] },
      secretsKeyArn: 'arn:aws:kms:eu-central-1:1:key/k',
      alarms: { topicArn: 'arn:aws:sns:eu-central-1:1:oncall' },
      tags: { team: 'platform' },
    },
  });
}
