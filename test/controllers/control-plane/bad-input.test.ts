import { describe, expect, it } from 'vitest';
import { parseGateway } from '../../../lib/controllers/control-plane/gateway/gateway-spec.ts';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { parseDatabase } from '../../../lib/controllers/control-plane/managed-database/database-spec.ts';
import {
  CLUSTER_NAME,
  databaseNamespace,
  GATEWAY_NAME,
  gatewayNamespace,
  identityClientId,
} from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  Namespaces,
  Secrets,
} from '../../../lib/core/resource-type.ts';
import {
  clientOf,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

describe('references and providers', () => {
  it('R-3.1 a Gateway does not find a database when it is in another namespace', async () => {
    const control = await controlPlaneWorld();
    await control.world.create(Namespaces, { metadata: { name: 'team-b' } });
    const spec = { provider: 'cnpg', engineVersion: '17', storage: '1Gi', deletionPolicy: 'Delete' };
    await control.world.create(ManagedDatabases, { metadata: { namespace: 'team-b', name: 'main' }, spec });
    const gateway = await createGateway(control);
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).DatabaseReady).toBe('False DatabaseNotFound');
  });

  it('R-5.10 R-3.1 a database reports ProviderNotInstalled, creates nothing and can be deleted when CloudNativePG is missing', async () => {
    const control = await controlPlaneWorld({ providersInstalled: false });
    const database = await createDatabase(control);
    expect(await passOf(control, ManagedDatabases, database)).toMatchObject({ outcome: 'retry' });
    const now = await control.world.read(ManagedDatabases, database);
    expect(shown(now)).toMatchObject({
      Provisioned: 'False ProviderNotInstalled',
      Ready: 'False ProviderNotInstalled',
    });
    expect(await leftovers(control).catch(() => ['no such kind'])).toEqual(['no such kind']);
    await control.world.remove(ManagedDatabases, database);
    await passOf(control, ManagedDatabases, database);
    expect((await control.world.user.list(ManagedDatabases)).items).toEqual([]);
    expect(
      (await control.world.user.list(Namespaces)).items.filter(({ metadata }) => /^hs-/.test(metadata.name)),
    ).toEqual([]);
  });

  it("R-3.3 R-1.17 a deletion ends when the provider's definitions are gone, and waits when its kinds are not served", async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const { world } = control;
    const fault = world.server.inject({
      match: { resource: 'grpcroutes', userAgent: 'evenkeel' },
      fault: { status: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
    });
    await world.remove(Gateways, gateway);
    await passOf(control, Gateways, gateway);
    expect(conditionOf(await world.read(Gateways, gateway), 'CleanupPending')).toMatchObject({
      reason: 'CleanupFailed',
    });
    fault.remove();
    const definition = await world.user.get(CustomResourceDefinitions, {
      namespace: '',
      name: 'grpcroutes.gateway.networking.k8s.io',
    });
    await world.remove(CustomResourceDefinitions, definition);
    await world.server.idle();
    for (let pass = 0; pass < 8; pass += 1) {
      await passOf(control, Gateways, gateway);
      await world.server.idle();
    }
    expect((await world.user.list(Gateways)).items).toEqual([]);
  });

  it('R-6.4 a Gateway names the missing setting when the installation has no identity server or no parent Gateway', async () => {
    const control = await controlPlaneWorld({ settings: { identity: undefined, parentGateway: undefined } });
    await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control);
    await settle(control);
    const condition = conditionOf(await control.world.read(Gateways, gateway), 'IdentityReady');
    expect(condition).toMatchObject({ status: 'False', reason: 'IdentityNotConfigured' });
    expect(condition?.message).toContain('groups.control-plane.identity');
    await control.world.edit(Gateways, gateway, { spec: { identity: null } });
    await settle(control);
    const routed = await control.world.read(Gateways, gateway);
    expect(shown(routed).ResourcesApplied).toBe('False RouteNotConfigured');
    expect(phaseOf(routed)).toBe('Running');
  });
});

describe('what Keycloak may answer', () => {
  const FAULTS = {
    'is down': { dropResponse: true },
    'answers 401': { status: 401 },
    'answers 403': { status: 403 },
    'answers 409': { status: 409 },
    'answers 429': { status: 429, headers: { 'retry-after': '120' } },
    'answers 500': { status: 500 },
    'answers HTML': { status: 200, body: '<html>Please log in</html>' },
    'answers with a redirect': { status: 302, headers: { location: 'https://elsewhere.example' } },
  } as const;

  it.each(Object.entries(FAULTS))(
    "R-3.7 R-1.24 a Gateway reports a Keycloak that %s without the server's text, retries, and recovers",
    async (how, fault) => {
      const control = await controlPlaneWorld();
      await createDatabase(control);
      await settle(control);
      const injected = control.keycloak.faults.inject({ match: ({ path }) => path.startsWith('/admin'), fault });
      const gateway = await createGateway(control);
      const report = await passOf(control, Gateways, gateway);
      expect(report.outcome).toBe('retry');
      if (how === 'answers 429') expect(report.dueAtMs).toBeGreaterThanOrEqual(control.world.clock.now() + 120_000);
      const failing = await control.world.read(Gateways, gateway);
      expect(shown(failing).IdentityReady).toMatch(/^Unknown Identity(Unavailable|AccessDenied)$/);
      expect(JSON.stringify(failing.status)).not.toMatch(/log in|elsewhere/);
      expect((await leftovers(control)).filter((each) => /^Deployment|^Namespace \/hs-(?!db-)/.test(each))).toEqual([]);
      injected.remove();
      await control.world.clock.advance(600_000);
      await settle(control);
      expect(phaseOf(await control.world.read(Gateways, gateway))).toBe('Running');
    },
  );

  it('R-3.7 a call ends after ten seconds when Keycloak does not answer', async () => {
    const control = await controlPlaneWorld();
    await createDatabase(control);
    await settle(control);
    const injected = control.keycloak.faults.inject({ match: () => true, fault: { hang: true } });
    const gateway = await createGateway(control);
    const startedAtMs = control.world.clock.now();
    let ended = false;
    const running = passOf(control, Gateways, gateway).finally(() => {
      ended = true;
    });
    await control.world.clock.advanceUntil(() => ended);
    await running;
    expect(control.world.clock.now() - startedAtMs).toBe(10_000);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('Unknown IdentityUnavailable');
    injected.remove();
    await settle(control);
    expect(phaseOf(await control.world.read(Gateways, gateway))).toBe('Running');
  });

  it('R-3.7 a token is renewed when it has expired or was revoked', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    control.keycloak.revokeTokens();
    await settle(control);
    await control.world.clock.advance(3_600_000);
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('True ClientReady');
  });

  it('R-3.7 a Gateway names the realm when it does not exist', async () => {
    const control = await controlPlaneWorld();
    await createDatabase(control);
    await settle(control);
    control.keycloak.realms.delete('other');
    const gateway = await createGateway(control, { identity: { realm: 'other' } });
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('False RealmNotFound');
  });

  it.each([
    ['nobody owns', {}, 'Never', false],
    ['nobody owns, where adoption is allowed,', {}, 'IfUnowned', true],
    ['another owns, where adoption is allowed,', { 'evenkeel.dev/owner-uid': 'another' }, 'IfUnowned', false],
  ])(
    'R-1.21 a Gateway adopts a client with its name that %s only when the spec allows it',
    async (_, attributes, adoption, adopted) => {
      const control = await controlPlaneWorld();
      await createDatabase(control);
      await settle(control);
      const gateway = await createGateway(control, { adoption });
      const realm = control.keycloak.realms.get('shop')!;
      const clientId = identityClientId(gateway.metadata.uid);
      const theirs = {
        id: 'theirs',
        clientId,
        name: 'theirs',
        attributes: { ...attributes },
        protocolMappers: [],
        defaultClientScopes: [],
        optionalClientScopes: [],
      };
      realm.clients.set('theirs', structuredClone(theirs));
      await settle(control);
      const now = await control.world.read(Gateways, gateway);
      expect(shown(now).IdentityReady).toBe(adopted ? 'True ClientReady' : 'False OwnershipConflict');
      if (!adopted) expect(clientOf(control, gateway.metadata.uid)).toEqual(theirs);
      await control.world.remove(Gateways, gateway);
      await settle(control);
      expect(clientOf(control, gateway.metadata.uid) === undefined).toBe(adopted);
      expect((await control.world.user.list(Gateways)).items).toEqual([]);
    },
  );
});

describe('objects that are not ours', () => {
  const namespaceOf = (gateway: KubeObject) => gatewayNamespace(gateway.metadata.uid);

  it('R-1.21 R-1.20 a namespace with the name of ours stays as it is, is reported, and does not stop the deletion', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control);
    const theirs = await world.create(Namespaces, { metadata: { name: namespaceOf(gateway), labels: { team: 'b' } } });
    await settle(control);
    const now = await world.read(Gateways, gateway);
    expect(shown(now)).toMatchObject({
      DatabaseReady: 'True DatabaseReady',
      IdentityReady: 'True ClientReady',
      ResourcesApplied: 'False OwnershipConflict',
      Ready: 'False OwnershipConflict',
    });
    expect(await world.read(Namespaces, theirs)).toEqual(theirs);
    expect(world.reports.findLast(({ target }) => target.name === 'edge')?.outcome).toBe('terminal');
    await world.remove(Gateways, gateway);
    await settle(control);
    expect((await world.user.list(Gateways)).items).toEqual([]);
    expect(await world.read(Namespaces, theirs)).toEqual(theirs);
  });

  it('R-1.21 a ConfigMap with the name of ours stays and is reported, conditions stay as validated, and the deletion waits', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    const name = { namespace: namespaceOf(gateway), name: GATEWAY_NAME };
    for (const type of [ConfigMaps, Deployments]) {
      const own = await find(control, { type, ...name });
      const spec = own?.spec === undefined ? { data: { theirs: 'yes' } } : { spec: own.spec };
      await world.remove(type, own!);
      await world.create(type, { metadata: name, ...spec });
    }
    const theirs = await find(control, { type: ConfigMaps, ...name });
    await settle(control);
    const now = await world.read(Gateways, gateway);
    expect(shown(now)).toMatchObject({
      DatabaseReady: 'True DatabaseReady',
      IdentityReady: 'True ClientReady',
      ResourcesApplied: 'False OwnershipConflict',
    });
    expect(await find(control, { type: ConfigMaps, ...name })).toEqual(theirs);
    await world.remove(Gateways, gateway);
    await settle(control);
    const held = await world.read(Gateways, gateway);
    expect(conditionOf(held, 'CleanupPending')).toMatchObject({ reason: 'CleanupOwnershipConflict' });
    expect(await find(control, { type: Deployments, ...name })).toBeDefined();
    await world.remove(Deployments, (await find(control, { type: Deployments, ...name }))!);
    await settle(control);
    expect((await world.user.list(Gateways)).items).toEqual([]);
  });

  it('R-1.21 a Gateway takes over objects without an owner, and no others, when adoption is allowed', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control, { gateway: { adoption: 'IfUnowned' } });
    const name = { namespace: namespaceOf(gateway), name: GATEWAY_NAME };
    await world.remove(ConfigMaps, (await find(control, { type: ConfigMaps, ...name }))!);
    await world.create(ConfigMaps, { metadata: name, data: { theirs: 'kept' } });
    await settle(control);
    const adopted = await find(control, { type: ConfigMaps, ...name });
    expect(adopted?.data).toMatchObject({ theirs: 'kept', DATABASE_PORT: '5432' });
    expect(adopted?.metadata.annotations?.['evenkeel.dev/owner-uid']).toBe(gateway.metadata.uid);

    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'x', uid: 'y', controller: true };
    await world.server.idle();
    await world.remove(ConfigMaps, adopted!);
    const theirs = await world.create(Secrets, { metadata: { namespace: name.namespace, name: 'x' } });
    await world.create(ConfigMaps, {
      metadata: { ...name, ownerReferences: [{ ...owner, uid: theirs.metadata.uid }] },
      data: { theirs: 'kept' },
    });
    await settle(control);
    expect((await find(control, { type: ConfigMaps, ...name }))?.data).toEqual({ theirs: 'kept' });
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
  });

  it('R-1.20 a namespace that was created again with copied marks is a conflict and is never deleted', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    const own = await world.user.get(Namespaces, { namespace: '', name: namespaceOf(gateway) });
    await world.remove(Namespaces, own);
    await world.server.idle();
    const { labels, annotations } = own.metadata;
    const copy = await world.create(Namespaces, {
      metadata: { name: own.metadata.name, labels: labels!, annotations: annotations! },
    });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
    await world.remove(Gateways, gateway);
    await settle(control);
    expect((await world.read(Namespaces, copy)).metadata.deletionTimestamp).toBeUndefined();
  });

  it("R-1.21 a Gateway writes credentials only into the database's own namespace", async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const namespace = databaseNamespace(database.metadata.uid);
    const own = await world.user.get(Namespaces, { namespace: '', name: namespace });
    await world.edit(ManagedDatabases, database, { metadata: { annotations: { 'evenkeel.dev/paused': 'true' } } });
    await world.remove(Namespaces, own);
    await world.server.idle();
    await world.create(Namespaces, { metadata: { name: namespace } });
    await settle(control);
    expect((await world.user.list(Secrets, { namespace })).items).toEqual([]);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
  });

  it('R-1.21 a database leaves a Cluster with its name as it is and reports it', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    control.operators.options = {};
    const database = await createDatabase(control);
    await settle(control);
    const [, cluster] = databaseObjects(database.metadata.uid);
    const own = await find(control, cluster!);
    await world.remove(cluster!.type, own!);
    const theirs = await world.create(cluster!.type, {
      metadata: { namespace: cluster!.namespace, name: CLUSTER_NAME },
      spec: { instances: 1 },
    });
    await settle(control);
    expect(shown(await world.read(ManagedDatabases, database)).Provisioned).toBe('False OwnershipConflict');
    expect((await find(control, cluster!))?.spec).toEqual(theirs.spec);
  });
});

describe('statuses and specifications', () => {
  it('R-1.20 R-1.13 a status is restored when a user edited or emptied it, also during a deletion', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const wrong = {
      phase: 'Failed',
      namespace: { name: 'default', uid: 'x' },
      identity: { server: 'http://evil', realm: 'a', clientId: 'b' },
    };
    await world.edit(Gateways, gateway, { status: wrong }, 'status');
    await world.edit(
      ManagedDatabases,
      database,
      { status: { namespace: null, cluster: { uid: 'x' }, heldData: false } },
      'status',
    );
    await settle(control);
    expect((await world.read(Gateways, gateway)).status).toEqual(gateway.status);
    expect((await world.read(ManagedDatabases, database)).status).toEqual(database.status);
    await world.remove(Gateways, gateway);
    await world.edit(Gateways, gateway, { status: { ...wrong, conditions: null } }, 'status');
    await settle(control);
    await world.remove(ManagedDatabases, database);
    await world.edit(
      ManagedDatabases,
      database,
      { status: { namespace: { uid: 'x' }, cluster: { uid: 'x' } } },
      'status',
    );
    await settle(control);
    expect(await leftovers(control)).toEqual([]);
  });

  it('R-1.15 the status shows what a deletion must remove when the table was lost', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    for (const [type, object] of [
      [Gateways, gateway],
      [ManagedDatabases, database],
    ] as const) {
      const target = {
        cluster: 'test',
        kind: `${type.plural}.${type.group}`,
        uid: object.metadata.uid,
        namespace: 'team-a',
        name: object.metadata.name,
      };
      const state = await world.memory.readTarget(target);
      await world.memory.acquire({
        target,
        owner: 'test',
        attempt: 'x',
        nowMs: world.clock.now(),
        leaseUntilMs: world.clock.now() + 1,
        latestUntilMs: world.clock.now() + 1 + 4_000,
      });
      await world.memory.forget({ target, owner: 'test', epoch: (state?.epoch ?? 0) + 1 }, world.clock.now() + 1);
      expect(await world.memory.readTarget(target)).toBeUndefined();
      await world.remove(type, object);
    }
    await settle(control);
    expect(await leftovers(control)).toEqual([]);
  });

  it.each(['goes on', 'is deleted'])(
    'R-5.8 R-1.20 a Gateway works in a cluster that was restored to an earlier namespace %s',
    async (what) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { gateway, database } = await runningGateway(control);
      const backup = world.server.snapshot();
      for (const uid of [gatewayNamespace(gateway.metadata.uid), databaseNamespace(database.metadata.uid)]) {
        await world.remove(Namespaces, await world.user.get(Namespaces, { namespace: '', name: uid }));
      }
      await world.server.idle();
      await world.edit(ManagedDatabases, database, { spec: { rebuild: true } });
      await settle(control);
      expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
      world.server.restore(backup);
      if (what === 'goes on') {
        await settle(control);
        expect(shown(await world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
        expect(shown(await world.read(ManagedDatabases, database)).Ready).toBe('True ClusterReady');
        return;
      }
      await world.remove(Gateways, gateway);
      await settle(control);
      await world.remove(ManagedDatabases, database);
      await settle(control);
      expect(await leftovers(control)).toEqual([]);
    },
  );

  it('R-3.3 a Gateway leaves nothing when it is deleted before or during its creation', async () => {
    for (const passes of [0, 1, 2, 3]) {
      const control = await controlPlaneWorld();
      await createDatabase(control);
      await settle(control);
      const gateway = await createGateway(control);
      for (let pass = 0; pass < passes; pass += 1) await passOf(control, Gateways, gateway);
      await control.world.remove(Gateways, gateway);
      await settle(control);
      expect(await leftovers(control)).toHaveLength(3);
    }
  });

  const gatewaySpec = { image: 'registry.example/a/b:1', databaseRef: { name: 'main' } };
  it.each([
    ['no image', { image: undefined }, 'spec.image'],
    ['an image without path', { image: 'nginx' }, 'spec.image'],
    ['no database', { databaseRef: undefined }, 'spec.databaseRef'],
    ['a name in capitals', { serverDnsNames: ['A'] }, 'spec.serverDnsNames[0]'],
    ['the same name twice', { serverDnsNames: ['a', 'a'] }, 'spec.serverDnsNames'],
    [
      'seventeen names',
      { serverDnsNames: Array.from({ length: 17 }, (_, index) => `a${index}`) },
      'spec.serverDnsNames',
    ],
    ['eleven replicas', { replicas: 11 }, 'spec.replicas'],
    ['half a replica', { replicas: 0.5 }, 'spec.replicas'],
    ['a route without host', { route: {} }, 'spec.route'],
    ['an identity without realm', { identity: {} }, 'spec.identity.realm'],
    ['a realm with a slash', { identity: { realm: 'a/b' } }, 'spec.identity.realm'],
    ['an unknown adoption', { adoption: 'Always' }, 'spec.adoption'],
  ])('R-6.4 a Gateway reports %s that admission did not refuse, without its value', (_, change, path) => {
    const parsed = parseGateway({
      kind: 'Gateway',
      metadata: { uid: 'u', name: 'n' },
      spec: { ...gatewaySpec, ...change },
    } as unknown as KubeObject);
    expect(parsed).toMatchObject({ valid: false, message: expect.stringContaining(`${path} `) });
  });

  const databaseSpec = { provider: 'cnpg', engineVersion: '17', storage: '1Gi', deletionPolicy: 'Delete' };
  it.each([
    ['another provider', { provider: 'rds' }, 'spec.provider'],
    ['no version', { engineVersion: undefined }, 'spec.engineVersion'],
    ['ten instances', { instances: 10 }, 'spec.instances'],
    ['no storage', { storage: '0' }, 'spec.storage'],
    ['storage in words', { storage: 'much' }, 'spec.storage'],
    ['no policy', { deletionPolicy: null }, 'spec.deletionPolicy'],
  ])('R-6.4 a ManagedDatabase reports %s that admission did not refuse, without its value', (_, change, path) => {
    const parsed = parseDatabase({
      metadata: { uid: 'u' },
      spec: { ...databaseSpec, ...change },
    } as unknown as KubeObject);
    expect(parsed).toMatchObject({ valid: false, message: expect.stringContaining(`${path} `) });
  });
});
