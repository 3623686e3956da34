import { describe, expect, it } from 'vitest';
import { Clusters, DatabaseRoles, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  CLUSTER_NAME,
  databaseNamespace,
  databaseObjectName,
  GATEWAY_NAME,
  gatewayNamespace,
  identityClientId,
} from '../../../lib/controllers/control-plane/names.ts';
import { PROOF_ANNOTATION, proofOf, provenClientId } from '../../../lib/controllers/control-plane/owner-proof.ts';
import { ownerOf, ownershipMarks } from '../../../lib/controllers/control-plane/ownership.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, kindId, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import type { Target } from '../../../lib/core/target.ts';
import { takeLease } from '../../support/take-lease.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  leftovers,
  passOf,
  phaseOf,
  REALM,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

const marksOf = (owner: KubeObject) => ownershipMarks(ownerOf(owner));

/** The fields of an object that our passes write. The operators write the status. */
function contentOf(object: KubeObject | undefined) {
  return { ...object, metadata: { ...object?.metadata, managedFields: [], resourceVersion: '' }, status: undefined };
}

/** A ready database, and a Gateway that has had no pass. */
async function newGateway(control: ControlPlaneWorld) {
  const created = await createDatabase(control);
  await settle(control);
  const database = await control.world.read(ManagedDatabases, created);
  return { database, gateway: await createGateway(control) };
}

function forgeClient({ keycloak }: ControlPlaneWorld, gateway: KubeObject, attributes: Record<string, string>) {
  const client = {
    id: 'forged',
    clientId: identityClientId(gateway.metadata.uid),
    enabled: true,
    redirectUris: ['https://theirs.example.org/*'],
    attributes,
    protocolMappers: [],
    defaultClientScopes: [],
    optionalClientScopes: [],
  };
  keycloak.realms.get(REALM)!.clients.set(client.id, client);
  return { client, before: structuredClone(client) };
}

describe('what carries copies of our marks', () => {
  it.each<[string, (uid: string) => Record<string, string>]>([
    ['the owner UID alone', (uid) => ({ 'evenkeel.dev/owner-uid': uid })],
    [
      'every mark of ours',
      (uid) => ({ 'evenkeel.dev/owner-uid': uid, 'evenkeel.dev/managed-by': 'evenkeel', [PROOF_ANNOTATION]: 'x' }),
    ],
  ])('R-3.9 a client is neither changed nor deleted when it was not recorded and has %s', async (_, attributes) => {
    const control = await controlPlaneWorld();
    const { gateway } = await newGateway(control);
    const { client, before } = forgeClient(control, gateway, attributes(gateway.metadata.uid));
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('False OwnershipConflict');
    expect(client).toEqual(before);
    await control.world.remove(Gateways, gateway);
    await settle(control);
    expect(clientOf(control, gateway.metadata.uid)).toEqual(before);
  });

  it('R-3.9 a client is neither changed nor deleted when somebody replaced ours by it', async () => {
    const control = await controlPlaneWorld();
    const { world, keycloak } = control;
    const { gateway } = await runningGateway(control);
    const ours = clientOf(control, gateway.metadata.uid)!;
    keycloak.realms.get(REALM)!.remove(ours.id);
    const { client, before } = forgeClient(control, gateway, ours.attributes);
    await passOf(control, Gateways, gateway);
    expect(shown(await world.read(Gateways, gateway)).IdentityReady).toBe('False OwnershipConflict');
    await world.remove(Gateways, gateway);
    await settle(control);
    const held = conditionOf(await world.read(Gateways, gateway), 'CleanupPending');
    expect(held).toMatchObject({ reason: 'CleanupOwnershipConflict' });
    expect(client).toEqual(before);
  });

  it.each<[string, ResourceType, object]>([
    [
      'a Secret with a known password',
      Secrets,
      { type: 'kubernetes.io/basic-auth', data: { username: 'Z3c=', password: 'a25vd24=' } },
    ],
    [
      'a DatabaseRole',
      DatabaseRoles,
      { spec: { cluster: { name: CLUSTER_NAME }, name: 'theirs', passwordSecret: { name: 'theirs' } } },
    ],
  ])('R-3.9 %s next to the Cluster is not used when it was not recorded', async (_, type, body) => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { database, gateway } = await newGateway(control);
    const { uid } = gateway.metadata;
    const name = { namespace: databaseNamespace(database.metadata.uid), name: databaseObjectName(uid) };
    const forged = await world.create(type, { metadata: { ...name, ...marksOf(gateway) }, ...body });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
    expect(contentOf(await find(control, { type, ...name }))).toEqual(contentOf(forged));
    const copy = await find(control, { type: Secrets, namespace: gatewayNamespace(uid), name: 'gateway-database' });
    expect(copy).toBeUndefined();
  });

  it('R-3.9 a ConfigMap stays as it is when it replaced ours and has the proof of another object', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control);
    const namespace = gatewayNamespace(gateway.metadata.uid);
    const config = { type: ConfigMaps, namespace, name: GATEWAY_NAME };
    const secret = (await find(control, { type: Secrets, namespace, name: 'gateway-database' }))!;
    await world.remove(ConfigMaps, (await find(control, config))!);
    const { labels, annotations } = secret.metadata;
    const forged = await world.create(ConfigMaps, {
      metadata: { namespace, name: GATEWAY_NAME, ...(labels && { labels }), ...(annotations && { annotations }) },
      data: { theirs: 'kept' },
    });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
    expect(await find(control, config)).toEqual(forged);
  });

  it('R-3.9 a Cluster stays as it is when it has the marks and existed before the ManagedDatabase created its own', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control);
    await settle(control);
    const { uid } = database.metadata;
    const cluster = { type: Clusters, namespace: databaseNamespace(uid), name: CLUSTER_NAME };
    await world.remove(Clusters, (await find(control, cluster))!);
    // The state that a pass leaves that ended between the record and the creation.
    const item = (await world.memory.readTarget({ cluster: 'test', kind: kindId(ManagedDatabases), uid }))!;
    const record = JSON.stringify({ ...JSON.parse(String(item.values.record)), clusterUid: '' });
    await keepRecord(control, { target: item.target, record });
    const metadata = { namespace: cluster.namespace, name: CLUSTER_NAME, ...marksOf(database) };
    const forged = await world.create(Clusters, { metadata, spec: { instances: 7 } });
    await passOf(control, ManagedDatabases, database);
    expect(shown(await world.read(ManagedDatabases, database)).Provisioned).toBe('False OwnershipConflict');
    expect(contentOf(await find(control, cluster))).toEqual(contentOf(forged));
  });
});

/**
 * Puts everything into the state of an older release: a record without a seed and without ids, and objects without
 * proofs.
 */
async function asOlderReleaseLeftIt(control: ControlPlaneWorld, gateway: KubeObject, database: KubeObject) {
  const { world, keycloak } = control;
  const { uid } = gateway.metadata;
  const beside = { namespace: databaseNamespace(database.metadata.uid), name: databaseObjectName(uid) };
  const noProof = { metadata: { annotations: { [PROOF_ANNOTATION]: null } } };
  await world.edit(Secrets, { metadata: beside } as KubeObject, noProof);
  await world.edit(
    ConfigMaps,
    { metadata: { namespace: gatewayNamespace(uid), name: GATEWAY_NAME } } as KubeObject,
    noProof,
  );
  const client = clientOf(control, uid)!;
  const realm = keycloak.realms.get(REALM)!;
  realm.remove(client.id);
  client.id = 'of-the-older-release';
  realm.clients.set(client.id, client);
  const key = { cluster: 'test', kind: kindId(Gateways), uid };
  const item = (await world.memory.readTarget(key))!;
  const { seed: _, unproven: __, clients, ...rest } = JSON.parse(String(item.values.record));
  const older = clients.map(({ id: ___, ...client }: { id?: string }) => client);
  return { key, target: item.target, record: JSON.stringify({ ...rest, clients: older }), beside, client };
}

/** Writes a record into the item, like a pass of an older release. */
async function keepRecord({ world }: ControlPlaneWorld, { target, record }: { target: Target; record: string }) {
  const nowMs = world.clock.now();
  const lease = { owner: 'older', attempt: 'older', nowMs, leaseUntilMs: nowMs + 1, latestUntilMs: nowMs + 1 };
  const state = await takeLease(world.memory, { target, ...lease });
  const saved = await world.memory.saveValues({ target, owner: 'older', epoch: state?.epoch ?? 0 }, { record });
  if (!saved) throw new Error('the record was not kept');
  await world.clock.advance(1_000);
}

describe('what a release before made', () => {
  it('R-3.9 R-6.8 the first pass adds proofs to the objects of an earlier release, so that later copies of the marks are conflicts', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const { key, beside, client, ...kept } = await asOlderReleaseLeftIt(control, gateway, database);
    await keepRecord(control, kept);
    const before = (await find(control, { type: Secrets, ...beside }))?.data;
    await settle(control);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
    const secret = (await find(control, { type: Secrets, ...beside }))!;
    expect(secret.data).toEqual(before);
    const now = JSON.parse(String((await world.memory.readTarget(key))!.values.record));
    expect(now.unproven).toEqual([]);
    expect(now.clients).toMatchObject([{ id: client.id }]);
    expect(secret.metadata.annotations?.[PROOF_ANNOTATION]).toBe(proofOf(now.seed, secret));
    await world.edit(Secrets, secret, { metadata: { annotations: { [PROOF_ANNOTATION]: null } } });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
  });

  it("R-3.9 R-3.3 the objects of an earlier release are removed when the first pass of this one is the Gateway's deletion", async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    await keepRecord(control, await asOlderReleaseLeftIt(control, gateway, database));
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });
});

describe('the proofs of an owner', () => {
  it('R-3.9 proofs differ by seed, kind, namespace and name; a client id is a UUID that differs by realm', () => {
    const object = { kind: 'Secret', metadata: { namespace: 'a', name: 'b', uid: '1', resourceVersion: '1' } };
    const others = [
      proofOf('other', object),
      proofOf('seed', { ...object, kind: 'ConfigMap' }),
      proofOf('seed', { ...object, metadata: { ...object.metadata, namespace: 'b' } }),
      proofOf('seed', { ...object, metadata: { ...object.metadata, name: 'c' } }),
    ];
    expect(new Set([proofOf('seed', object), ...others]).size).toBe(5);
    const id = provenClientId('seed', 'shop', 'hs-1');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(provenClientId('seed', 'other', 'hs-1')).not.toBe(id);
  });
});
