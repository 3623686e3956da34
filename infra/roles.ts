import { relayPolicyName, roleName } from './account-names.ts';
import { type CfnValue, type Resource, type Resources, substitute } from './cloudformation.ts';
import { type DeployedFunction, deployedFunctions } from './deployed-functions.ts';
import { type Permission, permissionsOf } from './permissions.ts';
import type { Stage } from './stage.ts';

/** One role for each function. For a relay in a pod, the policy for the pod's role. */
export function roles(stage: Stage): Resources {
  const ofFunctions = deployedFunctions(stage).map((deployed): [string, Resource] => [
    deployed.roleId,
    role(stage, deployed),
  ]);
  return Object.fromEntries([...ofFunctions, ...(stage.cloud.relay === 'container' ? [relayPolicy(stage)] : [])]);
}

function role(stage: Stage, deployed: DeployedFunction): Resource {
  const permissions = [
    ...permissionsOf(stage, deployed),
    writeLog(deployed.name),
    ...(stage.cloud.vpc === undefined ? [] : [USE_VPC]),
  ];
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: roleName(stage, deployed),
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      },
      Policies: [{ PolicyName: deployed.key, PolicyDocument: policyDocument(permissions) }],
    },
  };
}

export function policyDocument(permissions: readonly Permission[]): CfnValue {
  return {
    Version: '2012-10-17',
    Statement: permissions.map(({ sid, actions, resources, condition }) => ({
      Sid: sid,
      Effect: 'Allow',
      Action: actions,
      Resource: resources,
      ...(condition !== undefined && { Condition: condition }),
    })),
  };
}

function writeLog(name: string): Permission {
  return {
    sid: 'WriteLog',
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    // The streams of its own log group. Lambda chooses their names.
    resources: [
      substitute(`arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${name}:*`),
    ],
  };
}

/** These actions accept no resource (AWS' service authorization reference for EC2). Lambda calls them, not our code. */
const USE_VPC: Permission = {
  sid: 'UseVpc',
  actions: ['ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DeleteNetworkInterface'],
  resources: ['*'],
};

function relayPolicy(stage: Stage): [string, Resource] {
  return [
    'RelayPolicy',
    {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        ManagedPolicyName: relayPolicyName(stage),
        Description: "For the role of the pod with the relay, by EKS Pod Identity or a service account's role",
        PolicyDocument: policyDocument(permissionsOf(stage, { part: 'relay' })),
      },
    },
  ];
}
