import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SecretContractGrants, SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import {
  type SecretContractSettings,
  secretContractController,
} from '../../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { type Condition, readConditions } from '../../../lib/core/conditions.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { listKey } from '../../../lib/core/observation.ts';
import { Deployments, kindId, Namespaces, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { type CallFault, CallFaults } from '../../../lib/testing/call-faults.ts';
import { World } from '../../../lib/testing/world.ts';
import { passesByResync } from '../../support/passes-by-resync.ts';
import { DIGEST_KEY } from './pass.ts';

const NAMESPACE = 'default';
const DEFINITIONS = ['secretcontracts', 'secretcontractgrants'].map(
  (plural) =>
    parse(
      readFileSync(new URL(`../../../infra/kubernetes/crds/${plural}.evenkeel.dev.yaml`, import.meta.url), 'utf8'),
    ) as object,
);

async function newWorld(): Promise<World> {
  const world = new World({ controllers: [secretContractController({ allowMutation: true, digestKey: DIGEST_KEY })] });
  await world.install(DEFINITIONS);
  return world;
}

function createSecret(world: World, password: string, namespace = NAMESPACE): Promise<KubeObject> {
  return world.create(Secrets, { metadata: { namespace, name: 'db' }, stringData: { password } });
}

function createContract(world: World, spec: Record<string, unknown> = {}): Promise<KubeObject> {
  const whole = { secretRef: { name: 'db' }, keys: [{ name: 'password' }], ...spec };
  return world.create(SecretContracts, { metadata: { namespace: NAMESPACE, name: 'db' }, spec: whole });
}

/** The CRD of External Secrets, as far as it is read here. */
function externalSecretDefinition(versions: readonly string[]): object {
  const names = { plural: 'externalsecrets', singular: 'externalsecret', kind: 'ExternalSecret' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'externalsecrets.external-secrets.io' },
    spec: {
      group: 'external-secrets.io',
      scope: 'Namespaced',
      names,
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

function createDeployment(world: World): Promise<KubeObject> {
  const labels = { app: 'web' };
  return world.create(Deployments, {
    metadata: { namespace: NAMESPACE, name: 'web', labels: { 'evenkeel.dev/allow-mutation': 'true' } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
    },
  });
}

function ready({ status }: KubeObject): string | undefined {
  const conditions = (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
  return conditions.find(({ type }) => type === 'Ready')?.reason;
}

describe('a SecretContract under the engine', () => {
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
  });

  const requestPass = async (contract: KubeObject) => {
    const current = await world.read(SecretContracts, contract);
    return world.worker().handle(world.event(SecretContracts, current, { cause: 'requested' }));
  };
  const changed = async (contract: KubeObject, type: ResourceType, object: KubeObject, deleted = false) =>
    world
      .worker()
      .handle(
        world.dependencyEvent(
          { type: SecretContracts, object: contract },
          { type, object, ...(deleted ? { deleted } : {}) },
        ),
      );

  it.each([
    ['one', ['backup.example.com/hold']],
    ['two', ['backup.example.com/hold', 'example.com/audit']],
  ])(
    'R-1.30 deleted, and held by finalizers of others, shows Ready False Terminating and nothing as True: %s',
    async (_, finalizers) => {
      await createSecret(world, 'first');
      const contract = await createContract(world);
      await requestPass(contract);
      await world.edit(SecretContracts, contract, { metadata: { finalizers } });
      await world.remove(SecretContracts, contract);
      await requestPass(contract);
      const { status, metadata } = await world.read(SecretContracts, contract);
      const { conditions, ...rest } = status as { conditions: Condition[] };
      expect(conditions.filter((each) => each.status === 'True')).toEqual([]);
      expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
        status: 'False',
        reason: 'Terminating',
        observedGeneration: metadata.generation,
        message: expect.stringContaining(finalizers.join(', ')),
      });
      expect(rest).toMatchObject({ observedGeneration: metadata.generation });
      expect(rest).not.toHaveProperty('nextCheckTime');
      expect((await requestPass(contract)).writes).toBe(0);
    },
  );

  it('R-1.31 a contract loses Synced with its externalSecretRef, and keeps a condition of others', async () => {
    await createSecret(world, 'first');
    const contract = await createContract(world, { externalSecretRef: { name: 'db' } });
    await requestPass(contract);
    const { status } = await world.read(SecretContracts, contract);
    const { conditions } = status as { conditions: Condition[] };
    const foreign = { ...(conditions[0] as Condition), type: 'Audited', reason: 'Theirs' };
    await world.edit(SecretContracts, contract, { status: { conditions: [...conditions, foreign] } }, 'status');
    const edited = await world.edit(SecretContracts, contract, { spec: { externalSecretRef: null } });
    await requestPass(edited);
    const now = ((await world.read(SecretContracts, contract)).status as { conditions: Condition[] }).conditions;
    expect(conditions.map(({ type }) => type)).toContain('Synced');
    expect(now.map(({ type }) => type)).not.toContain('Synced');
    expect(now.find(({ type }) => type === 'Audited')).toEqual(foreign);
    expect((await requestPass(edited)).writes).toBe(0);
  });

  it('R-2.8 R-1.3 converges, then three passes send no write and leave the same resourceVersions', async () => {
    await createSecret(world, 'one');
    const contract = await createContract(world, { maxAge: '24h' });
    await requestPass(contract);
    const before = await world.read(SecretContracts, contract);
    expect(ready(before)).toBe('AllSatisfied');
    world.server.requests.clear();
    for (let repetition = 0; repetition < 3; repetition += 1) {
      await world.clock.advance(60_000);
      await requestPass(contract);
    }
    expect(world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(await world.read(SecretContracts, contract)).toEqual(before);
  });

  it('R-2.2 R-2.5 an absent Secret leaves no deadline, and its creation, edit and deletion each bring a pass', async () => {
    const contract = await createContract(world);
    expect(await requestPass(contract)).toMatchObject({ outcome: 'settled', dueAtMs: undefined });
    expect(ready(await world.read(SecretContracts, contract))).toBe('SecretNotFound');
    const secret = await createSecret(world, '');
    await changed(contract, Secrets, secret);
    expect(ready(await world.read(SecretContracts, contract))).toBe('RuleViolated');
    await changed(contract, Secrets, await world.edit(Secrets, secret, { stringData: { password: 'one' } }));
    expect(ready(await world.read(SecretContracts, contract))).toBe('AllSatisfied');
    await world.remove(Secrets, secret);
    await changed(contract, Secrets, secret, true);
    expect(ready(await world.read(SecretContracts, contract))).toBe('SecretNotFound');
  });

  it('R-2.9 a contract edited during a pass never carries the older result', async () => {
    await createSecret(world, 'one');
    const contract = await createContract(world);
    const racing = new Proxy(world.api, {
      get: (api, property) => {
        if (property !== 'get') return Reflect.get(api, property, api);
        return async (type: ResourceType, ...rest: [{ namespace: string; name: string }]) => {
          const object = await api.get(type, ...rest);
          const current = await world.read(SecretContracts, contract);
          if (type === Secrets && current.metadata.generation === 1) {
            await world.edit(SecretContracts, contract, { spec: { keys: [{ name: 'absent' }] } });
          }
          return object;
        };
      },
    });
    const report = await world
      .worker('racing', { clusters: { api: () => racing } })
      .handle(world.event(SecretContracts, contract));
    expect(report.outcome).toBe('retry');
    expect((await world.read(SecretContracts, contract)).status).toEqual({ observedGeneration: -1 });
    await world.run(10_000);
    const settled = await world.read(SecretContracts, contract);
    expect(ready(settled)).toBe('KeyMissing');
    expect(settled.status).toMatchObject({ observedGeneration: 2 });
  });

  it('R-2.5 R-1.26 reaches its maximum age on time, with no event', async () => {
    await createSecret(world, 'one');
    const contract = await createContract(world, { maxAge: '2m' });
    await requestPass(contract);
    await world.run(119_000);
    expect(ready(await world.read(SecretContracts, contract))).toBe('AllSatisfied');
    await world.run(5_000);
    const old = await world.read(SecretContracts, contract);
    expect(ready(old)).toBe('MaxAgeExceeded');
    world.server.requests.clear();
    await world.run(600_000, undefined, 5_000);
    expect(world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(await world.read(SecretContracts, contract)).toEqual(old);
  });

  it('R-2.11 waits on the list of grants: one created, changed or deleted wakes it', async () => {
    await world.create(Namespaces, { metadata: { name: 'vault' } });
    await createSecret(world, 'one', 'vault');
    const contract = await createContract(world, { secretRef: { name: 'db', namespace: 'vault' } });
    await requestPass(contract);
    expect(ready(await world.read(SecretContracts, contract))).toBe('GrantMissing');
    const { items: readers } = await world.memory.readers('test', listKey(kindId(SecretContractGrants), 'vault'));
    expect(readers.map(({ reader }) => reader.uid)).toEqual([contract.metadata.uid]);
    expect((await world.memory.readers('test', 'secrets/vault/db')).items).toEqual([]);

    const grant = await world.create(SecretContractGrants, {
      metadata: { namespace: 'vault', name: 'to-app' },
      spec: { from: [{ namespace: NAMESPACE }], secretNames: ['db'] },
    });
    await changed(contract, SecretContractGrants, grant);
    expect(ready(await world.read(SecretContracts, contract))).toBe('AllSatisfied');
    const renamed = await world.edit(SecretContractGrants, grant, { spec: { secretNames: ['other'] } });
    await changed(contract, SecretContractGrants, renamed);
    const revoked = await world.read(SecretContracts, contract);
    expect(ready(revoked)).toBe('GrantMissing');
    expect(revoked.status).not.toHaveProperty('observedSecret');
    expect((await world.memory.readers('test', 'secrets/vault/db')).items).toEqual([]);
  });

  it('R-5.10 contract reports that External Secrets is not installed, and retries', async () => {
    await createSecret(world, 'one');
    const contract = await createContract(world, { externalSecretRef: { name: 'db' } });
    expect(await requestPass(contract)).toMatchObject({ outcome: 'retry' });
    expect(ready(await world.read(SecretContracts, contract))).toBe('ExternalSecretsNotInstalled');
  });

  it.each([[['v1beta1']], [['v1alpha1', 'v1beta1']], [['v1alpha1']]])(
    'R-6.4 contract names the oldest release of External Secrets that works when its kind is served as %s only',
    async (versions) => {
      await world.install([externalSecretDefinition(versions)]);
      await createSecret(world, 'one');
      const contract = await createContract(world, { externalSecretRef: { name: 'db' } });
      expect(await requestPass(contract)).toMatchObject({ outcome: 'retry' });
      const told = readConditions((await world.read(SecretContracts, contract)).status);
      const synced = told.find(({ type }) => type === 'Synced');
      expect(synced).toMatchObject({ status: 'Unknown', reason: 'ExternalSecretsTooOld' });
      expect(synced?.message).toContain('0.16.0');
      expect(synced?.message).toContain(`external-secrets.io/${versions.includes('v1beta1') ? 'v1beta1' : 'v1alpha1'}`);
    },
  );

  it('R-6.4 R-2.5 a Secret of 1 MiB, binary, is judged', async () => {
    const content = Buffer.alloc(1_000_000, 0xff).toString('base64');
    await world.create(Secrets, {
      metadata: { namespace: NAMESPACE, name: 'db', labels: { 'evenkeel.dev/allow-content-rules': 'true' } },
      data: { password: content },
    });
    const keys = [{ name: 'password', minLength: 1_000_000, pattern: '(?s).*', format: 'Base64' }];
    const contract = await createContract(world, { keys });
    await requestPass(contract);
    expect((await world.read(SecretContracts, contract)).status).toMatchObject({
      findings: [
        { key: 'password', rule: 'format', reason: 'RuleViolated' },
        { key: 'password', rule: 'pattern', reason: 'RuleViolated' },
      ],
    });
  });

  it('R-2.6 R-2.1 R-2.7 its deletion leaves everything as it is, and no state behind', async () => {
    const secret = await createSecret(world, 'one');
    const deployment = await createDeployment(world);
    const contract = await createContract(world, { targets: [{ name: 'web' }], mutation: 'Annotate' });
    await requestPass(contract);
    await changed(contract, Secrets, await world.edit(Secrets, secret, { stringData: { password: 'two' } }));
    const before = [await world.read(Secrets, secret), await world.read(Deployments, deployment)];
    expect(JSON.stringify(before[1]?.spec)).toContain('"evenkeel.dev/secret-revision":"1"');

    expect((await world.read(SecretContracts, contract)).metadata.finalizers).toBeUndefined();
    await world.remove(SecretContracts, contract);
    const report = await world.worker().handle(world.event(SecretContracts, contract, { cause: 'deleted' }));
    expect(report.end).toBe('forgotten');
    expect(world.memory.contents()).toEqual({ targets: [], edges: [], polls: [] });
    expect([await world.read(Secrets, secret), await world.read(Deployments, deployment)]).toEqual(before);
  });
});

describe('SecretContracts after a deployment of other settings', () => {
  const SETTINGS = { allowMutation: true, digestKey: DIGEST_KEY, externalSecretsPollMs: 300_000 };
  const CONTRACTS = ['db', 'second'].map((name) => `${kindId(SecretContracts)} ${name}`);
  let world: World;
  beforeEach(async () => {
    world = await newWorld();
    await createSecret(world, 'one');
    await createDeployment(world);
    await createContract(world, { targets: [{ name: 'web' }], mutation: 'Annotate' });
    await world.create(SecretContracts, {
      metadata: { namespace: NAMESPACE, name: 'second' },
      spec: { secretRef: { name: 'db' }, keys: [{ name: 'password' }] },
    });
    await deployed(SETTINGS);
  });

  const deployed = (settings: SecretContractSettings) => passesByResync(world, [secretContractController(settings)]);

  it.each<[string, SecretContractSettings]>([
    ['no permission for changes any more', { ...SETTINGS, allowMutation: false }],
    ['other looks at ExternalSecrets', { ...SETTINGS, externalSecretsPollMs: 60_000 }],
  ])('R-5.15 %s: every contract gets a pass by the next resync, and no other after it', async (_, changed) => {
    expect(await deployed(changed)).toEqual(CONTRACTS);
    expect(await deployed(changed)).toEqual([]);
  });

  it('R-5.15 equal settings lead to no pass, with another key for comparing content too', async () => {
    const { externalSecretsPollMs: _, ...defaults } = SETTINGS;
    expect(await deployed({ ...defaults })).toEqual([]);
    expect(await deployed({ ...SETTINGS, digestKey: 'another-key-of-the-installation' })).toEqual([]);
  });

  it('R-5.15 R-2.7 a permission that was withdrawn shows on the contracts that use it', async () => {
    await deployed({ ...SETTINGS, allowMutation: false });
    const { status } = await world.user.get(SecretContracts, { namespace: NAMESPACE, name: 'db' });
    expect(status).toMatchObject({ findings: [{ key: 'Deployment/web', reason: 'MutationNotPermitted' }] });
  });
});

describe('R-2.7 R-5.5 a rollout with a fault at every call', async () => {
  async function rollOut(faults: CallFaults): Promise<World> {
    const world = await newWorld();
    const secret = await createSecret(world, 'one');
    await createDeployment(world);
    const contract = await createContract(world, { targets: [{ name: 'web' }], mutation: 'Annotate' });
    await world.worker().handle(world.event(SecretContracts, contract));
    const edited = await world.edit(Secrets, secret, { stringData: { password: 'two' } });
    const event = world.dependencyEvent({ type: SecretContracts, object: contract }, { type: Secrets, object: edited });
    const unanswered = (method: string) => new InfrastructureError(`${method} was not answered`);
    const faulty = world.worker('faulty', {
      store: faults.wrap(world.memory, 'store', unanswered),
      wakes: faults.wrap(world.wakes, 'wakes', unanswered),
      clusters: {
        api: () => faults.wrap(world.api, 'api', (method) => new ApiError('Timeout', `${method} was not answered`)),
      },
    });
    await world.sender.sendAll('events', [event]);
    await world.drain(faulty);
    await world.run(10 * 60_000, undefined, 5_000);
    return world;
  }

  async function expectRolledOnce(world: World): Promise<void> {
    const deployment = await world.user.get(Deployments, { namespace: NAMESPACE, name: 'web' });
    expect(deployment.spec).toMatchObject({
      template: { metadata: { annotations: { 'evenkeel.dev/secret-revision': '1' } } },
    });
    // Each change of a Deployment's spec raises its generation.
    expect(deployment.metadata.generation).toBe(2);
    const contract = await world.user.get(SecretContracts, { namespace: NAMESPACE, name: 'db' });
    expect(ready(contract)).toBe('AllSatisfied');
    expect(contract.status).not.toHaveProperty('findings');
  }

  const probe = new CallFaults();
  await expectRolledOnce(await rollOut(probe));
  const cases = (['crash-before', 'crash-after', 'lose-answer', 'fail'] as CallFault[]).flatMap((fault) =>
    Array.from({ length: probe.calls }, (_, at) => ({ fault, at })),
  );
  it.each(cases)('$fault at call $at: the Deployment is rolled out once', async ({ fault, at }) => {
    const faults = new CallFaults(at, fault);
    const world = await rollOut(faults);
    expect(faults.hit).toBeDefined();
    await expectRolledOnce(world);
  });
});
