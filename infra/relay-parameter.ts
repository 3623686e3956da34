import { RELAY_IDENTITY, relayVariablesParameter } from '../lib/deployment/cloud/cloud-names.ts';
import { type CfnValue, type Resources, substitute } from './cloudformation.ts';
import { environment } from './functions.ts';
import type { Stage } from './stage.ts';

/** The variables of a relay in a container, in addition to the settings. @param version of this release. */
export function relayParameter(stage: Stage, version: string): Resources {
  if (stage.cloud.relay !== 'container') return {};
  const {
    EVENKEEL_SETTINGS: _,
    NODE_OPTIONS: __,
    ...variables
  } = environment(stage, { part: 'relay', identity: RELAY_IDENTITY }, version);
  const texts = Object.entries(variables).map(([name, value]) => [name, substitution(value)]);
  return {
    RelayVariables: {
      Type: 'AWS::SSM::Parameter',
      Properties: {
        Name: relayVariablesParameter(stage.name),
        Type: 'String',
        Description: 'Variables of the relay in a container; only the deployment of this stage writes them',
        Value: substitute(JSON.stringify(Object.fromEntries(texts))),
      },
    },
  };
}

/** A value of a template, for use inside a substituted text. */
function substitution(value: CfnValue): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': path, 'Fn::Sub': text } = value as { readonly [name: string]: CfnValue };
  if (typeof Ref === 'string') return `\${${Ref}}`;
  if (Array.isArray(path)) return `\${${path.join('.')}}`;
  if (typeof text === 'string') return text;
  throw new Error('a variable of the relay is neither text, reference, attribute nor substitution');
}
