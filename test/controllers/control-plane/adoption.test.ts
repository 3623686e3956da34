import { describe, expect, it } from 'vitest';
import { Gateways, GrpcRoutes, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  databaseNamespace,
  databaseObjectName,
  GATEWAY_NAME,
  gatewayNamespace,
} from '../../../lib/controllers/control-plane/names.ts';
import { ownerOf, ownershipMarks } from '../../../lib/controllers/control-plane/ownership.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import {
  controlPlaneWorld,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  gatewayObjects,
  leftovers,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

const marksOf = (owner: KubeObject) => ownershipMarks(ownerOf(owner));
const ADOPTING = { gateway: { adoption: 'IfUnowned' } };

describe('adoption', () => {
  it.each([true, false])(
    'R-1.21 R-1.20 a Gateway takes over no object with an owner reference, controller or not (%s)',
    async (controller) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { gateway } = await runningGateway(control, ADOPTING);
      const name = { namespace: gatewayNamespace(gateway.metadata.uid), name: GATEWAY_NAME };
      const config = { type: ConfigMaps, ...name };
      await world.remove(ConfigMaps, (await find(control, config))!);
      const owner = await world.create(Secrets, { metadata: { namespace: name.namespace, name: 'x' } });
      const reference = { apiVersion: 'v1', kind: 'Secret', name: 'x', uid: owner.metadata.uid };
      const theirs = await world.create(ConfigMaps, {
        metadata: { ...name, ownerReferences: [{ ...reference, ...(controller && { controller }) }] },
        data: { theirs: 'kept' },
      });
      await settle(control);
      expect(await find(control, config)).toEqual(theirs);
      expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
    },
  );

  it('R-1.20 a Gateway removes an adopted route when the spec disables it', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway } = await runningGateway(control, {
      gateway: { adoption: 'IfUnowned', route: { enabled: false } },
    });
    const name = { namespace: gatewayNamespace(gateway.metadata.uid), name: GATEWAY_NAME };
    await world.create(GrpcRoutes, { metadata: name, spec: { hostnames: ['theirs.example.org'] } });
    await settle(control);
    expect(await find(control, { type: GrpcRoutes, ...name })).toBeDefined();
    await world.edit(Gateways, gateway, { spec: { route: { host: 'edge.example.org', enabled: true } } });
    await settle(control);
    expect((await find(control, { type: GrpcRoutes, ...name }))?.spec).toMatchObject({
      hostnames: ['edge.example.org'],
    });
    await world.edit(Gateways, gateway, { spec: { route: { enabled: false } } });
    await settle(control);
    expect(await find(control, { type: GrpcRoutes, ...name })).toBeUndefined();
  });

  it('R-1.20 R-1.15 a Gateway records adopted credentials next to the Cluster, and removes them when it is deleted', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control, { adoption: 'IfUnowned' });
    const { namespace } = databaseObjects(database.metadata.uid)[1]!;
    const data = { username: 'dXNlcg==', password: 'dGhlaXJz' };
    const name = databaseObjectName(gateway.metadata.uid);
    await world.create(Secrets, { metadata: { namespace, name }, type: 'kubernetes.io/basic-auth', data });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    const copy = gatewayObjects(gateway.metadata.uid, database.metadata.uid)[4]!;
    expect((await find(control, copy))?.data).toEqual(data);
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });
});

describe('a namespace in doubt', () => {
  it("R-1.20 R-1.24 a Gateway writes no credentials into a namespace when its marks are copies of the database's", async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const [own] = databaseObjects(database.metadata.uid);
    const { metadata } = (await find(control, own!))!;
    await world.edit(ManagedDatabases, database, { metadata: { annotations: { 'evenkeel.dev/paused': 'true' } } });
    await world.remove(Namespaces, { metadata } as never);
    await world.server.idle();
    const { name, labels, annotations } = metadata;
    await world.create(Namespaces, { metadata: { name, labels: labels!, annotations: annotations! } });
    await settle(control);
    expect((await world.user.list(Secrets, { namespace: name })).items).toEqual([]);
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False WaitingForDatabase');
  });

  it('R-1.17 R-1.24 a Gateway creates nothing while its namespace cannot be read, and everything when it can', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid).slice(4);
    for (const object of objects) await world.remove(object.type, (await find(control, object))!);
    const own = gatewayNamespace(gateway.metadata.uid);
    const fault = world.server.inject({
      match: { verb: 'get', resource: 'namespaces', name: own, userAgent: 'evenkeel' },
      fault: { status: 500 },
    });
    await settle(control);
    expect(fault.hits).toBeGreaterThan(0);
    for (const object of objects) expect(await find(control, object), object.type.kind).toBeUndefined();
    expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('Unknown RequestFailed');
    fault.remove();
    await settle(control);
    for (const object of objects) expect(await find(control, object), object.type.kind).toBeDefined();
  });

  it.each(['Never', 'IfUnowned'])(
    "R-1.20 R-1.24 a namespace with a Gateway's marks is a conflict with adoption %s and outlives the Gateway when somebody created it first",
    async (adoption) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      await createDatabase(control);
      await settle(control);
      const gateway = await createGateway(control, { adoption });
      const theirs = await world.create(Namespaces, {
        metadata: { name: gatewayNamespace(gateway.metadata.uid), ...marksOf(gateway) },
      });
      await settle(control);
      expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False OwnershipConflict');
      expect((await world.user.list(Secrets)).items).toEqual([]);
      await world.remove(Gateways, gateway);
      await settle(control);
      expect((await world.user.list(Gateways)).items).toEqual([]);
      expect((await world.read(Namespaces, theirs)).metadata.deletionTimestamp).toBeUndefined();
    },
  );

  it("R-1.20 R-1.24 a namespace with a ManagedDatabase's marks is a conflict and outlives it when somebody created it first", async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const database = await createDatabase(control);
    const theirs = await world.create(Namespaces, {
      metadata: { name: databaseNamespace(database.metadata.uid), ...marksOf(database) },
    });
    await settle(control);
    expect(shown(await world.read(ManagedDatabases, database)).Provisioned).toBe('False OwnershipConflict');
    await world.remove(ManagedDatabases, database);
    await settle(control);
    expect((await world.user.list(ManagedDatabases)).items).toEqual([]);
    expect((await world.read(Namespaces, theirs)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('R-1.21 R-1.15 a Gateway takes over a namespace without an owner when adoption is allowed, and deletes it at its end', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control, { adoption: 'IfUnowned' });
    await world.create(Namespaces, { metadata: { name: gatewayNamespace(gateway.metadata.uid) } });
    await settle(control);
    expect(shown(await world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });
});
