import { describe, expect, it } from 'vitest';
import { deployedFunctions } from '../../infra/deployed-functions.ts';
import { type Permission, permissionsOf } from '../../infra/permissions.ts';
import { queueId } from '../../infra/queues.ts';
import { roles } from '../../infra/roles.ts';
import type { Stage } from '../../infra/stage.ts';
import {
  checkpointKey,
  clusterKey,
  edgePartition,
  failuresKey,
  fanoutKey,
  pollKey,
  targetKey,
} from '../../lib/adapters/state-keys.ts';
import { clusterTokenSecret, stageSecretName } from '../../lib/deployment/cloud/cloud-names.ts';
import { installedRegistry } from '../../lib/deployment/installation/installed-registry.ts';
import { covers, type Grant } from '../deploy/support/iam-policy.ts';
import { aRichStage, aStage } from './a-stage.ts';

function permissions(stage: Stage, key: string): Permission[] {
  const deployed = deployedFunctions(stage).find((one) => one.key === key);
  if (deployed === undefined) throw new Error(`there is no function ${key}`);
  return permissionsOf(stage, deployed);
}

const sids = (stage: Stage, key: string) => permissions(stage, key).map(({ sid }) => sid);
const text = (value: unknown) => JSON.stringify(value);

const READ_SECRET = 'secretsmanager:GetSecretValue';

function secretGrants(stage: Stage, key: string): Grant[] {
  return permissions(stage, key).flatMap(({ sid, actions, resources }) =>
    actions.includes(READ_SECRET)
      ? resources.map((resource) => {
          const { 'Fn::Sub': pattern } = resource as { 'Fn::Sub': string };
          const named = pattern.replace(/\$\{AWS::(\w+)\}/g, (_, name: string) => PSEUDO[name] ?? '');
          return { sid, action: READ_SECRET, resource: named };
        })
      : [],
  );
}

const PSEUDO: Record<string, string> = { Partition: 'aws', Region: 'eu-central-1', AccountId: '111122223333' };

/** Secrets Manager adds a dash and six characters to each name. */
function arnOf(secret: string): string {
  return `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${secret}-a1B2c3`;
}

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

  it('R-5.12 the key of a customer, the digest key and the identity secret are permitted only where they are needed', () => {
    const stage = aRichStage();
    expect(sids(stage, 'reconcile-secret-contract')).toEqual(
      expect.arrayContaining(['DecryptSecrets', 'ReadDigestKey']),
    );
    expect(sids(stage, 'reconcile-control-plane')).toContain('ReadIdentitySecret');
    expect(sids(stage, 'reconcile-t4')).toContain('ReadDigestKey');
    expect(sids(stage, 'reconcile-control-plane')).not.toContain('ReadDigestKey');
    expect(sids(stage, 'reconcile-t4')).not.toContain('ReadIdentitySecret');
    expect(sids(aStage(), 'reconcile-secret-contract')).not.toContain('ReadDigestKey');
  });

  it('R-5.12 exactly the functions that read a secret may read it under its name in Secrets Manager', () => {
    const stage = aRichStage();
    const readers = (secret: string) =>
      deployedFunctions(stage)
        .filter(({ key }) => secretGrants(stage, key).some((grant) => covers(grant, READ_SECRET, arnOf(secret))))
        .map(({ key }) => key);
    expect(readers(stageSecretName('test', 'identity-client'))).toEqual(['reconcile-control-plane']);
    expect(readers(stageSecretName('test', 'digest-key'))).toEqual(['reconcile-secret-contract', 'reconcile-t4']);
    expect(readers(clusterTokenSecret('test', 'east', 'relay'))).toEqual(['resync', 'relay']);
    expect(readers(clusterTokenSecret('test', 'east', 't4'))).toEqual(['reconcile-t4']);
    const others = [
      stageSecretName('prod', 'identity-client'),
      `${stageSecretName('test', 'identity-client')}-of-another`,
      'evenkeel/test/other',
    ];
    for (const other of others) expect(readers(other)).toEqual([]);
  });

  it.each(['t4', 'secret-contract', 'control-plane'])(
    'R-5.12 the function of %s reaches the items of its own group alone when they lie in one table',
    (group) => {
      const stage = aRichStage();
      const use = permissions(stage, `reconcile-${group}`).find(({ sid }) => sid === 'UseTable');
      const grant = {
        sid: 'UseTable',
        action: 'dynamodb:*',
        resource: '*',
        condition: use?.condition as Grant['condition'],
      };
      const reaches = (...keys: { readonly pk: string }[]) =>
        covers(grant, 'dynamodb:UpdateItem', 'table', { 'dynamodb:LeadingKeys': keys.map(({ pk }) => pk) });
      const registry = installedRegistry(stage.settings);
      for (const other of stage.groups) {
        const poll = { cluster: 'east-1', group: other, kind: 'secrets', namespace: 'default', name: 'a' };
        const items = [
          pollKey(poll),
          fanoutKey(poll),
          ...registry.kindsOf(other).map((kind) => targetKey({ cluster: 'east-1', kind, uid: 'u' }, 16)),
        ];
        expect(items.map((key) => reaches(key))).toEqual(items.map(() => other === group));
      }
      const edge = { pk: edgePartition('east-1', 'pods', 3) };
      expect([edge, clusterKey('east-1'), failuresKey('m')].map((key) => reaches(key))).toEqual([true, true, true]);
      // The relay's own keys, and requests without a key, such as a scan.
      expect([reaches(checkpointKey('east-1', 'pods')), reaches(edge, checkpointKey('east-1', 'pods'))]).toEqual([
        false,
        false,
      ]);
      expect(covers(grant, 'dynamodb:UpdateItem', 'table')).toBe(false);
    },
  );

  it('R-5.12 the key of a customer decrypts secrets for a function only when Secrets Manager asks', () => {
    const readers = deployedFunctions(aRichStage()).filter(({ identity }) => identity !== undefined);
    expect(readers.length).toBeGreaterThan(3);
    for (const { key } of readers) {
      const decrypt = permissions(aRichStage(), key).find(({ sid }) => sid === 'DecryptSecrets');
      expect(decrypt?.condition).toEqual({
        StringEquals: { 'kms:ViaService': { 'Fn::Sub': `secretsmanager.\${AWS::Region}.amazonaws.com` } },
      });
    }
  });

  it('R-5.17 who may ask how many messages wait: a group its own queues, the relay all queues, and resync the queues of floods', () => {
    const stage = aRichStage();
    const asked = (key: string) =>
      permissions(stage, key)
        .filter(({ actions }) => actions.includes('sqs:GetQueueAttributes'))
        .flatMap(({ resources }) => resources.map((resource) => text(resource).match(/"(\w+Queue)/)?.[1]));
    const lanes = (lane: 'events' | 'resync') => stage.groups.map((group) => queueId(group, lane));
    expect(asked('relay')).toEqual([...lanes('events'), ...lanes('resync')]);
    expect(asked('reconcile-t4')).toEqual(['T4EventsQueue', 'T4ResyncQueue']);
    expect(asked('resync')).toEqual(lanes('resync'));
    expect(asked('sweep')).toEqual([]);
  });

  it.each(['t4', 'secret-contract', 'control-plane'])(
    'R-5.17 %s may read the readers of a change, and send to both of its own lanes',
    (group) => {
      const own = permissions(aRichStage(), `reconcile-${group}`);
      expect(text(own)).toContain('dynamodb:Query');
      expect(text(own)).toContain('dynamodb:BatchGetItem');
      const sent = own.find(({ sid }) => sid === 'SendDeadlines');
      for (const lane of ['events', 'resync'] as const) expect(text(sent)).toContain(queueId(group, lane));
    },
  );

  it('R-5.12 sweep and wake reach no cluster, and know which there are', () => {
    for (const key of ['sweep', 'wake']) {
      expect(text(permissions(aRichStage(), key))).not.toContain('secretsmanager');
      expect(sids(aRichStage(), key)).toContain('ListClusters');
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
    // The role contains everything that permissionsOf returns.
    expect(text(made.ReconcileT4Role)).toContain('"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["T#*#');
  });

  it('R-5.12 the policy of a relay pod has the permissions of the function, and permits to read its parameters', () => {
    const { RelayPolicy, RelayRole } = roles(aStage({ cloud: { relay: 'container' } }));
    expect(RelayRole).toBeUndefined();
    expect(RelayPolicy?.Type).toBe('AWS::IAM::ManagedPolicy');
    expect(text(RelayPolicy)).toContain(':parameter/evenkeel/test"');
    expect(text(roles(aStage()))).not.toContain(':parameter/evenkeel/test"');
  });
});
