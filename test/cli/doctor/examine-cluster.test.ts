import { beforeEach, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../cli/doctor/diagnosis.ts';
import { type ClusterExamination, examineCluster } from '../../../cli/doctor/examine-cluster.ts';
import { shippedAccess } from '../../../cli/doctor/shipped-access.ts';
import { OpenApiSchemas } from '../../../lib/adapters/kubernetes/open-api-schemas.ts';
import { FaultsError } from '../../../lib/core/errors.ts';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import { apiVersion, Leases, Namespaces } from '../../../lib/core/resource-type.ts';
import { installedRegistry } from '../../../lib/deployment/installation/installed-registry.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import type { Access } from '../../../lib/ports/access-review.ts';
import { TEST_CLUSTER, World } from '../../../lib/testing/world.ts';

const settings = settingsSchema.parse({ groups: { 'secret-contract': {} }, cluster: TEST_CLUSTER });
const DEPLOYMENT = 'arn:table';
const PASS_ROLE = 'secret-contract';

let world: World;
let refuses: (identity: string, access: Access) => boolean;

beforeEach(async () => {
  refuses = () => false;
  world = new World({ controllers: [] });
  await world.install(bundledDefinitions());
  await world.create(Namespaces, { metadata: { name: 'evenkeel-system' } });
});

function examine(changes: Partial<ClusterExamination> = {}): Promise<Diagnosis[]> {
  return examineCluster({
    name: 'east',
    reach: (identity) => ({
      api: world.api,
      access: { allows: async (access) => !refuses(identity, access) },
      schemas: new OpenApiSchemas(world.server, world.clock),
      asMyself: false,
    }),
    store: world.store,
    settings,
    registry: installedRegistry(settings),
    deployment: DEPLOYMENT,
    clock: world.clock,
    ...changes,
  });
}

async function lease(holderIdentity: string, aheadMs = 0): Promise<void> {
  const renewTime = new Date(world.clock.now() + aheadMs).toISOString().replace('Z', '000Z');
  await world.user.create(
    Leases,
    {
      apiVersion: apiVersion(Leases),
      kind: 'Lease',
      metadata: { namespace: 'evenkeel-system', name: `evenkeel-${PASS_ROLE}` },
      spec: { holderIdentity, renewTime, acquireTime: renewTime, leaseDurationSeconds: 900 },
    },
    { fieldManager: 'evenkeel' },
  );
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly versions: {
      subresources?: object;
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<'spec' | 'status', Properties> } };
    }[];
  };
}

interface Properties {
  readonly properties: Record<string, object>;
}

const lines = (diagnoses: Diagnosis[]) => diagnoses.map(({ level, text }) => `${level} ${text}`);

describe('examineCluster', () => {
  it('R-6.4 finds nothing wrong with a cluster that answers, serves the kinds, allows all and is driven by the deployment', async () => {
    await lease(DEPLOYMENT);
    expect(lines(await examine())).toEqual([
      'note it answers; the first function that reaches it registers it',
      'ok all 3 kinds can be listed',
      expect.stringMatching(/^ok relay has all \d+ permissions that it needs$/),
      expect.stringMatching(/^ok secret-contract has all \d+ permissions that it needs$/),
      'ok secret-contract is driven by this deployment',
    ]);
  });

  it('R-5.16 another cluster behind the same endpoint is trouble, with both UIDs', async () => {
    await world.store.pinClusterUid('east', 'another-uid');
    const [diagnosis] = await examine();
    expect(diagnosis).toMatchObject({
      level: 'trouble',
      text: expect.stringContaining('and another-uid is registered'),
    });
  });

  it.each([
    [401, 'Unauthorized', 'Its token has expired'],
    [403, 'Forbidden', 'Apply the roles: kubectl apply -k infra/kubernetes/roles'],
    [503, 'ServiceUnavailable', "Check the parameter's server"],
  ])('R-6.4 answer %i is one trouble, with what to do', async (status, reason, advice) => {
    world.server.inject({ match: ({ resource }) => resource === 'namespaces', fault: { status, reason }, times: 1 });
    const diagnoses = await examine();
    expect(diagnoses).toHaveLength(1);
    expect(diagnoses[0]?.level).toBe('trouble');
    expect(diagnoses[0]?.advice).toContain(advice);
  });

  it('R-5.10 a kind that is missing, or cannot be listed, is named', async () => {
    const match = ({ resource }: { resource: string }) => resource === 'secrets';
    world.server.inject({ match, fault: { status: 403, reason: 'Forbidden' } });
    const trouble = (await examine()).filter(({ level }) => level === 'trouble');
    expect(trouble).toMatchObject([{ text: expect.stringContaining('secrets cannot be watched') }]);
  });

  it.each<[string, (definition: Definition) => void, string]>([
    [
      'a field of the status',
      ({ spec }) => delete spec.versions[0]?.schema.openAPIV3Schema.properties.status.properties.findings,
      'it lacks status.findings, and',
    ],
    [
      'a field of the specification',
      ({ spec }) => delete spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties.maxAge,
      'it lacks spec.maxAge, and',
    ],
    ['the status subresource', ({ spec }) => delete spec.versions[0]?.subresources, 'has no status subresource'],
  ])('R-2.15 a CRD that lacks %s is trouble, and is named', async (_, change, text) => {
    world = new World({ controllers: [] });
    const definitions = structuredClone(bundledDefinitions()) as unknown as Definition[];
    for (const definition of definitions)
      if (definition.metadata.name === 'secretcontracts.evenkeel.dev') change(definition);
    await world.install(definitions);
    const trouble = (await examine()).filter(({ level }) => level === 'trouble');
    expect(trouble).toMatchObject([
      { text: expect.stringContaining(text), advice: expect.stringContaining('kubectl apply --server-side') },
    ]);
  });

  describe('an identity that may not read CRDs', () => {
    const forbid = () =>
      world.server.inject({
        match: ({ resource }) => resource === 'customresourcedefinitions',
        fault: { status: 403, reason: 'Forbidden' },
      });

    it('R-5.12 compares the schemas that the cluster publishes, and finds nothing when they are as new as the release', async () => {
      forbid();
      expect((await examine()).filter(({ level, reason }) => level === 'trouble' || reason)).toEqual([]);
    });

    it('R-5.12 finds that a CRD is older when a field is not among the published ones', async () => {
      world = new World({ controllers: [] });
      const definitions = structuredClone(bundledDefinitions()) as unknown as Definition[];
      for (const { spec, metadata } of definitions) {
        if (metadata.name !== 'secretcontracts.evenkeel.dev') continue;
        for (const { schema } of spec.versions) delete schema.openAPIV3Schema.properties.status.properties.findings;
      }
      await world.install(definitions as unknown as DesiredObject[]);
      forbid();
      const older = (await examine()).filter(({ reason }) => reason !== undefined);
      expect(older).toEqual([
        expect.objectContaining({
          level: 'trouble',
          reason: 'DefinitionOlder',
          text: expect.stringContaining(
            'secretcontracts.evenkeel.dev in the cluster is older than this release: it lacks status.findings,',
          ),
        }),
      ]);
    });
  });

  it('R-6.4 a CRD that only the settings to deploy need is missing when the cluster does not have it', async () => {
    world = new World({ controllers: [] });
    const named = (definition: DesiredObject) => definition.metadata.name;
    await world.install(bundledDefinitions().filter((definition) => named(definition).startsWith('secretcontract')));
    const nextSettings = settingsSchema.parse({ groups: { 'secret-contract': {}, t4: {} }, cluster: TEST_CLUSTER });
    const older = (await examine({ nextSettings })).filter(({ reason }) => reason === 'DefinitionOlder');
    expect(older.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^CRD t4sessions\S* is not installed/)]),
    );
    expect((await examine()).filter(({ reason }) => reason === 'DefinitionOlder')).toEqual([]);
  });

  it('R-6.4 the CRDs of a cluster are unknown when it cannot be reached', async () => {
    const match = ({ resource }: { resource: string }) => resource === 'namespaces';
    world.server.inject({ match, fault: { status: 401, reason: 'Unauthorized' }, times: 1 });
    expect(await examine()).toEqual([expect.objectContaining({ about: 'east', reason: 'DefinitionsUnknown' })]);
  });

  it('R-5.12 what an identity may not do is named, verb by verb', async () => {
    refuses = (identity, { verb, resource }) => identity === 'relay' && verb === 'watch' && resource === 'secrets';
    const [trouble] = (await examine()).filter(({ level }) => level === 'trouble');
    expect(trouble).toMatchObject({ text: 'relay lacks permissions: watch secrets' });
  });

  it('R-5.12 with IAM the doctor reports nothing about permissions, because only the function has its identity', async () => {
    const reach: ClusterExamination['reach'] = () => ({
      api: world.api,
      access: { allows: () => Promise.reject(new Error('asked')) },
      schemas: new OpenApiSchemas(world.server, world.clock),
      asMyself: true,
    });
    expect(lines(await examine({ reach }))).toContain(
      'note the permissions of relay were not checked, because by IAM only its function has that identity',
    );
  });

  it('R-1.10 a group that another deployment drives is trouble', async () => {
    await lease('arn:other');
    expect(lines(await examine()).at(-1)).toBe('trouble secret-contract is driven by the deployment arn:other');
  });

  it("R-5.5 a clock that differs from the API server's by more than the passes tolerate is trouble", async () => {
    await lease(DEPLOYMENT, 30_000);
    expect(lines(await examine()).at(-1)).toBe('trouble the clocks of functions and API server differ by about 29 s');
  });

  it('R-5.23 a group that another deployment drives is no trouble when the stage stands by', async () => {
    await lease('arn:other');
    const found = await examine({ settings: { ...settings, standby: true } });
    expect(found.filter(({ level }) => level === 'trouble')).toEqual([]);
    expect(lines(found)).toContain('note secret-contract is driven by the deployment arn:other; this one stands by');
  });

  it('R-6.4 every fault of its parameter is one diagnosis', async () => {
    const reach = () => {
      throw new FaultsError('BAD', ['parameter x: server: it is missing.', 'parameter x: auth: it is missing.']);
    };
    expect(lines(await examine({ reach }))).toEqual([
      'trouble parameter x: server: it is missing.',
      'trouble parameter x: auth: it is missing.',
    ]);
  });
});

describe('shippedAccess', () => {
  it('R-5.12 is what the shipped roles bind to the identity, and mutation only where it is allowed', () => {
    const verbs = (allow: boolean) =>
      shippedAccess('secret-contract', settingsSchema.parse({ groups: { 'secret-contract': { mutation: { allow } } } }))
        .filter(({ resource }) => resource === 'deployments')
        .map(({ verb }) => verb);
    expect(verbs(false)).not.toContain('patch');
    expect(verbs(true)).toContain('patch');
    expect(shippedAccess('t4', settings)).toEqual([]);
  });

  it('R-6.7 an installation limited to namespaces needs nothing beyond them', () => {
    const limited = settingsSchema.parse({ groups: { 'secret-contract': {} }, scope: { namespaces: ['one', 'two'] } });
    const secrets = shippedAccess('relay', limited).filter(({ resource }) => resource === 'secrets');
    expect(new Set(secrets.map(({ namespace }) => namespace))).toEqual(new Set(['one', 'two']));
  });
});
