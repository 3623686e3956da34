import { describe, expect, it } from 'vitest';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { type Permission, permissionsOf } from '../../infra/permissions.ts';
import { roles } from '../../infra/roles.ts';
import type { Stage } from '../../infra/stage.ts';
import { aRichStage, aStage } from './a-stage.ts';

function permissions(stage: Stage, key: string): Permission[] {
  const deployed = deployedFunctions(stage).find((one) => one.key === key);
  if (deployed === undefined) throw new Error(`there is no function ${key}`);
  return permissionsOf(stage, deployed);
}

const sids = (stage: Stage, key: string) => permissions(stage, key).map(({ sid }) => sid);
const text = (value: unknown) => JSON.stringify(value);

describe('permissionsOf', () => {
  it('R-5.12 a group may receive from its own queues alone, and read its own secrets alone', () => {
    const stage = aRichStage();
    for (const { key, group } of deployedFunctions(stage).filter(({ part }) => part === 'reconcile')) {
      const own = permissions(stage, key);
      for (const other of stage.groups.filter((name) => name !== group)) {
        expect(text(own)).not.toContain(`clusters/*/${other}`);
        expect(text(own)).not.toContain(other === 't4' ? 'T4EventsQueue' : `${other}-events`);
      }
      expect(text(own)).toContain(`secret:evenkeel/test/clusters/*/${group}-??????`);
    }
  });

  it('R-5.12 the key of a customer, the digest key and the identity secret are for those that need them', () => {
    const stage = aRichStage();
    expect(sids(stage, 'reconcile-secret-contract')).toEqual(
      expect.arrayContaining(['DecryptSecrets', 'ReadDigestKey']),
    );
    expect(sids(stage, 'reconcile-control-plane')).toContain('ReadIdentitySecret');
    expect(sids(stage, 'reconcile-t4')).not.toContain('ReadDigestKey');
    expect(sids(stage, 'reconcile-t4')).not.toContain('ReadIdentitySecret');
    expect(sids(aStage(), 'reconcile-secret-contract')).not.toContain('ReadDigestKey');
  });

  it('R-5.12 sweep and wake reach no cluster', () => {
    for (const key of ['sweep', 'wake']) {
      expect(text(permissions(aRichStage(), key))).not.toContain('secretsmanager');
    }
  });

  it('R-5.12 nobody may change, delete or create a table, a queue or a secret', () => {
    const stage = aRichStage();
    const actions = new Set(
      deployedFunctions(stage).flatMap((deployed) => permissionsOf(stage, deployed).flatMap((one) => one.actions)),
    );
    expect([...actions].sort()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
      'kms:Decrypt',
      'secretsmanager:GetSecretValue',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
      'ssm:GetParametersByPath',
    ]);
  });
});

describe('roles', () => {
  it('R-5.12 each function has a role of its own, that only Lambda may take', () => {
    const stage = aRichStage();
    const made = roles(stage);
    expect(Object.keys(made)).toEqual(deployedFunctions(stage).map(({ roleId }) => roleId));
    for (const role of Object.values(made))
      expect(text(role.Properties.AssumeRolePolicyDocument)).toContain('lambda.amazonaws.com');
  });

  it('R-5.12 a pod that relays gets a policy: what the function may, and to read what it is told', () => {
    const { RelayPolicy, RelayRole } = roles(aStage({ cloud: { relay: 'container' } }));
    expect(RelayRole).toBeUndefined();
    expect(RelayPolicy?.Type).toBe('AWS::IAM::ManagedPolicy');
    expect(text(RelayPolicy)).toContain(':parameter/evenkeel/test"');
    expect(text(roles(aStage()))).not.toContain(':parameter/evenkeel/test"');
  });
});
