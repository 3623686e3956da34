import { beforeEach, describe, expect, it } from 'vitest';
import { type ClusterAddition, stepsToAdd } from '../../../cli/cluster/add-cluster.ts';
import type { ContextCluster, StageTools } from '../../../cli/cluster/cluster-tools.ts';
import { stepsToRemove } from '../../../cli/cluster/remove-cluster.ts';
import { carryOut, type StepOptions } from '../../../cli/cluster/steps.ts';
import { ClusterAdministrator } from '../../../lib/adapters/kubernetes/cluster-administrator.ts';
import { MemoryClusterUseStore } from '../../../lib/adapters/memory/memory-cluster-use-store.ts';
import { CustomResourceDefinitions, Namespaces } from '../../../lib/core/resource-type.ts';
import { GROUPS } from '../../../lib/deployment/groups/registered-groups.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import { ApiError, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { certificateAuthority } from '../../adapters/kubernetes/certificates.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { ScriptedAws } from './scripted-aws.ts';

const STAGE = 'prod';
const PARAMETER = '/evenkeel/prod/clusters/east';
const SECRETS = ['relay', 'secret-contract'].map((identity) => `evenkeel/prod/clusters/east/${identity}`);
const ARN = 'arn:aws:iam::1:role/evenkeel-prod-';
const OUTPUTS = {
  RelayRoleArn: `${ARN}relay`,
  ResyncRoleArn: `${ARN}resync`,
  ReconcileSecretContractRoleArn: `${ARN}reconcile-secret-contract`,
};
const EKS = { type: 'eks', clusterName: 'shop', region: 'eu-west-1' } as const;
const PEM = certificateAuthority().certificate;

let world: World;
let aws: ScriptedAws;
let terminal: RecordedTerminal;
let refused: Set<string>;
let outputs: Readonly<Record<string, string>>;
let uses: MemoryClusterUseStore;

beforeEach(() => {
  world = new World({ controllers: [] });
  aws = new ScriptedAws();
  uses = new MemoryClusterUseStore();
  terminal = new RecordedTerminal();
  refused = new Set();
  outputs = OUTPUTS;
});

function tools(): StageTools {
  return {
    stage: STAGE,
    region: 'eu-central-1',
    parameters: aws.parameterStore,
    parameterWriter: aws.parameterWriter,
    secrets: aws.secretStore,
    secretWriter: aws.secretWriter,
    accessEntries: (region) => aws.accessEntries(region),
    stack: { describe: async () => ({ status: 'UPDATE_COMPLETE', outputs }) },
    store: world.store,
    uses,
    clock: world.clock,
    reach: (_, identity) => ({
      get: (async (type, name) => {
        const token = aws.secrets.get(`evenkeel/prod/clusters/east/${identity}`) ?? '';
        if (refused.has(token)) throw new ApiError('Unauthorized', 'its token was refused');
        return await world.user.get(type, name);
      }) satisfies ClusterApi['get'],
    }),
  };
}

function context(changes: Partial<ContextCluster> = {}): ContextCluster {
  const options = { transport: world.server, clock: world.clock, userAgent: 'test' };
  return {
    api: world.user,
    administration: new ClusterAdministrator(options),
    server: 'https://api.example:6443',
    certificateAuthority: PEM,
    tlsServerName: undefined,
    context: 'east-admin',
    file: 'kubeconfig',
    ...changes,
  };
}

function addition(changes: Partial<ClusterAddition> = {}): ClusterAddition {
  const settings = settingsSchema.parse({ groups: { 'secret-contract': {} } });
  const own = { controllers: [], definitions: [] };
  return {
    name: 'east',
    auth: { type: 'token' },
    tokenLifetimeSeconds: 90 * 86_400,
    deployed: { settings, own, groups: GROUPS },
    ...changes,
  };
}

const YES: StepOptions = { yes: true, dryRun: false, confirm: undefined };

async function add(changes: Partial<ClusterAddition> = {}, options = YES, cluster = context()): Promise<string[]> {
  const steps = await stepsToAdd(addition(changes), cluster, tools());
  await carryOut(steps, options, terminal);
  return steps.map(({ text }) => text);
}

async function remove(forgo = false): Promise<string[]> {
  const steps = await stepsToRemove({ name: 'east', groups: ['secret-contract'], forgo }, tools());
  await carryOut(steps, YES, terminal);
  return steps.map(({ text }) => text);
}

/** The version increases with each write. */
async function version(): Promise<string> {
  return (await world.user.list(Namespaces)).resourceVersion;
}

async function uid(): Promise<string> {
  return (await world.user.get(Namespaces, { namespace: '', name: 'kube-system' })).metadata.uid;
}

describe('evenkeel cluster add', () => {
  it('R-6.9 gives a bare cluster CRDs and roles, makes a token for each identity, and registers it last', async () => {
    const steps = await add();
    expect(steps).toEqual(
      expect.arrayContaining([
        'install CRD secretcontracts.evenkeel.dev',
        'apply Namespace evenkeel-system',
        'apply ServiceAccount evenkeel-system/evenkeel-relay',
        'apply ClusterRole evenkeel-secret-contract',
        'apply ClusterRoleBinding evenkeel-secret-contract',
      ]),
    );
    expect(aws.writes).toEqual([...SECRETS.map((name) => `CreateSecret ${name}`), `PutParameter ${PARAMETER}`]);
    expect(JSON.parse(aws.parameters.get(PARAMETER) ?? '')).toEqual({
      server: 'https://api.example:6443',
      certificateAuthority: Buffer.from(PEM).toString('base64'),
      auth: { type: 'token' },
    });
    const name = { namespace: '', name: 'secretcontracts.evenkeel.dev' };
    expect((await world.user.get(CustomResourceDefinitions, name)).metadata.name).toBe(name.name);
  });

  it('R-1.24 says each step before and after it, and shows no token', async () => {
    const steps = await add();
    const lines = terminal.outLines;
    expect(lines.slice(0, steps.length)).toEqual(steps.map((text) => `to do: ${text}`));
    expect(lines.slice(steps.length).map((line) => line.replace(/ \(valid until .*\)$/, ''))).toEqual(
      steps.map((text) => `done: ${text}`),
    );
    for (const token of aws.secrets.values()) expect(lines.join('\n')).not.toContain(token);
  });

  it('R-1.3 plans and writes nothing when it runs again', async () => {
    await add();
    aws.writes.length = 0;
    world.server.requests.clear();
    expect(await add()).toEqual([]);
    expect(aws.writes).toEqual([]);
    expect(world.server.requests.writes()).toEqual([]);
  });

  it.each([`CreateSecret ${SECRETS[0]}`, `CreateSecret ${SECRETS[1]}`, `PutParameter ${PARAMETER}`])(
    'R-5.5 continues where it stopped when %s fails',
    async (failing) => {
      aws.onWrite = (write) => {
        if (write === failing) throw new Error('the network is gone');
      };
      await expect(add()).rejects.toThrow('the network is gone');
      const before = [...aws.writes];
      aws.onWrite = () => undefined;
      await add();
      const all = [...SECRETS.map((name) => `CreateSecret ${name}`), `PutParameter ${PARAMETER}`];
      expect(before).toEqual(all.slice(0, all.indexOf(failing)));
      expect(aws.writes).toEqual(all);
    },
  );

  it('R-5.12 repairs a role that somebody changed, and leaves the others alone', async () => {
    await add();
    const type = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles', kind: 'ClusterRole' };
    const role = { ...type, namespaced: false };
    const patch = [{ op: 'replace', path: '/rules', value: [] }];
    const name = { namespace: '', name: 'evenkeel-secret-contract' };
    await world.user.patch(role, name, { type: 'json', patch }, { fieldManager: 'somebody' });
    expect(await add()).toEqual(['apply ClusterRole evenkeel-secret-contract']);
    expect((await world.user.get(role, name)).rules).not.toEqual([]);
  });

  it.each([
    ['has expired', () => world.clock.advance(91 * 86_400_000)],
    ['has less than a third of its time left', () => world.clock.advance(61 * 86_400_000)],
    ['is refused by the cluster', async () => void refused.add(aws.secrets.get(SECRETS[0] ?? '') ?? '')],
  ])('R-5.16 renews a token that %s', async (_, spoil) => {
    await add();
    const old = aws.secrets.get(SECRETS[0] ?? '');
    await spoil();
    expect(await add()).toContain(
      `renew the token of ServiceAccount evenkeel-system/evenkeel-relay in secret ${SECRETS[0]}`,
    );
    expect(aws.secrets.get(SECRETS[0] ?? '')).not.toBe(old);
  });

  it('R-5.12 gives each IAM role an access entry with its user group when the cluster is one of EKS', async () => {
    await add({ auth: EKS });
    expect(Object.fromEntries(aws.entries)).toEqual({
      [`eu-west-1 shop ${OUTPUTS.RelayRoleArn}`]: ['evenkeel:relay'],
      [`eu-west-1 shop ${OUTPUTS.ResyncRoleArn}`]: ['evenkeel:relay'],
      [`eu-west-1 shop ${OUTPUTS.ReconcileSecretContractRoleArn}`]: ['evenkeel:secret-contract'],
    });
    expect(aws.secrets.size).toBe(0);
    expect(JSON.parse(aws.parameters.get(PARAMETER) ?? '')).toMatchObject({ auth: EKS });
    expect(await add({ auth: EKS })).toEqual([]);
  });

  it('R-5.12 keeps the user groups that somebody gave an access entry', async () => {
    const key = `eu-west-1 shop ${OUTPUTS.RelayRoleArn}`;
    aws.entries.set(key, ['theirs']);
    await add({ auth: EKS });
    expect(aws.entries.get(key)).toEqual(['theirs', 'evenkeel:relay']);
  });

  it('R-5.12 binds the roles in the namespaces of a limited installation only', async () => {
    const settings = settingsSchema.parse({ groups: { 'secret-contract': {} }, scope: { namespaces: ['team-a'] } });
    await world.create(Namespaces, { metadata: { name: 'team-a' } });
    const steps = await add({ deployed: { ...addition().deployed, settings } });
    expect(steps).toContain('apply RoleBinding team-a/evenkeel-secret-contract');
    expect(steps).not.toContain('apply ClusterRoleBinding evenkeel-secret-contract');
  });

  it('R-6.4 asks before it changes anything, and changes nothing after another answer than yes', async () => {
    const before = await version();
    await add({}, { ...YES, yes: false, confirm: async () => false });
    await add({}, { ...YES, dryRun: true });
    await expect(add({}, { ...YES, yes: false })).rejects.toThrow('Agree with --yes.');
    expect(aws.writes).toEqual([]);
    expect(await version()).toBe(before);
    await add({}, { ...YES, yes: false, confirm: async () => true });
    expect(aws.parameters.has(PARAMETER)).toBe(true);
  });

  it('R-6.4 is refused before anything is created when the user may not grant a role', async () => {
    const before = await version();
    world.server.deny({ verb: 'patch', resource: 'clusterroles' });
    await expect(add()).rejects.toThrow(
      /^ClusterRole evenkeel-\S+: the API server does not let the user of context east-admin write it .* Use the context of a cluster administrator\.$/,
    );
    expect(aws.writes).toEqual([]);
    expect(await version()).toBe(before);
  });

  it('R-5.16 is refused when the name belongs to another cluster, or the cluster has another name', async () => {
    await world.store.pinClusterUid('east', 'another-uid');
    await expect(add()).rejects.toThrow(/stage prod knows another cluster as east: .* another-uid/);
    await world.store.pinClusterUid('west', await uid());
    aws.parameters.set('/evenkeel/prod/clusters/west', '{}');
    await expect(add({ name: 'north' })).rejects.toThrow('is in stage prod already, as west.');
    expect(aws.writes).toEqual([]);
  });

  it.each<[string, Partial<ClusterAddition>, Partial<ContextCluster>]>([
    ['"East" cannot name a cluster', { name: 'East' }, {}],
    ['its cluster has no certificate-authority-data', {}, { certificateAuthority: undefined }],
  ])('R-6.4 is refused with "%s"', async (text, changes, cluster) => {
    await expect(add(changes, YES, context(cluster))).rejects.toThrow(text);
    expect(aws.writes).toEqual([]);
  });

  it('R-6.4 is refused when the stack does not name the role of a group', async () => {
    outputs = { RelayRoleArn: OUTPUTS.RelayRoleArn };
    await expect(add({ auth: EKS })).rejects.toThrow('has no output ReconcileSecretContractRoleArn');
    expect(aws.writes).toEqual([]);
  });
});

describe('evenkeel cluster remove', () => {
  it('R-6.8 deletes the secrets and then the parameter, and changes nothing in the cluster', async () => {
    await add();
    aws.writes.length = 0;
    world.server.requests.clear();
    await remove();
    expect(aws.writes).toEqual([...SECRETS.map((name) => `DeleteSecret ${name}`), `DeleteParameter ${PARAMETER}`]);
    expect([aws.parameters.size, aws.secrets.size]).toEqual([0, 0]);
    expect(world.server.requests.writes()).toEqual([]);
  });

  it('R-6.8 deletes the access entries of a cluster of EKS', async () => {
    await add({ auth: EKS });
    await remove();
    expect([aws.parameters.size, aws.entries.size]).toEqual([0, 0]);
  });

  it.each([`DeleteSecret ${SECRETS[1]}`, `DeleteParameter ${PARAMETER}`])(
    'R-5.5 continues where it stopped when %s fails',
    async (failing) => {
      await add();
      aws.onWrite = (write) => {
        if (write === failing) throw new Error('the network is gone');
      };
      await expect(remove()).rejects.toThrow('the network is gone');
      aws.onWrite = () => undefined;
      await remove();
      expect([aws.parameters.size, aws.secrets.size]).toEqual([0, 0]);
    },
  );

  it('R-6.4 does nothing for a cluster that was removed, and refuses one that the stage never had', async () => {
    await expect(remove()).rejects.toThrow('stage prod has no cluster "east".');
    await add();
    await world.store.pinClusterUid('east', await uid());
    await remove();
    expect(await remove()).toEqual([]);
  });

  it('R-6.8 keeps the record of what the cluster has, and forgets it last when that is forgone', async () => {
    await add();
    await world.store.pinClusterUid('east', await uid());
    const use = { cluster: 'east', finalizers: {}, leases: ['evenkeel-secret-contract'], schemas: {} };
    await uses.record({ ...use, release: '0.2.0', sinceMs: 0 }, 1);
    await remove();
    expect(await uses.read('east')).toMatchObject(use);
    // Without a parameter and secrets, the name of a gone cluster is enough.
    expect(await remove(true)).toEqual(['forget that it has the Lease evenkeel-secret-contract']);
    expect(await uses.list()).toEqual([]);
    expect(await remove(true)).toEqual([]);
    await add();
    await uses.record({ ...use, leases: [], release: '0.2.0', sinceMs: 0 }, 1);
    expect((await remove(true)).slice(-2)).toEqual([
      `delete parameter ${PARAMETER}`,
      'forget what the relay recorded of it',
    ]);
    expect(await uses.list()).toEqual([]);
  });
});
