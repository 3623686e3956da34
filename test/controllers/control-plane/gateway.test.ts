import { describe, expect, it } from 'vitest';
import {
  DatabaseRoles,
  Databases,
  Gateways,
  GrpcRoutes,
  ManagedDatabases,
  Services,
} from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, Namespaces, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import {
  clientOf,
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  gatewayObjects,
  leftovers,
  type OwnedObject,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

function objectOf(gateway: KubeObject, database: KubeObject, type: ResourceType): OwnedObject {
  const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
  const found = objects.findLast((object) => object.type === type);
  if (found === undefined) throw new Error(`a Gateway has no ${type.kind}`);
  return found;
}

/** The number of Gateways that share one database. */
const GATEWAYS = 15;

describe('a Gateway', () => {
  it('R-3.1 R-1.20 a Gateway goes from created to Running, and each of its objects is marked as owned', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    expect(shown(gateway)).toEqual({
      DatabaseReady: 'True DatabaseReady',
      IdentityReady: 'True ClientReady',
      ResourcesApplied: 'True AllApplied',
      Available: 'True ReplicasReady',
      Ready: 'True AllSatisfied',
    });
    expect(phaseOf(gateway)).toBe('Running');
    const namespace = await find(control, objectOf(gateway, database, Namespaces));
    expect(gateway.status).toMatchObject({
      observedGeneration: 1,
      namespace: { name: namespace?.metadata.name, uid: namespace?.metadata.uid },
      identity: { server: 'http://identity.test', realm: 'shop', clientId: namespace?.metadata.name },
      address: 'edge.example.org',
    });
    for (const object of gatewayObjects(gateway.metadata.uid, database.metadata.uid)) {
      const found = await find(control, object);
      expect(found?.metadata.annotations?.['evenkeel.dev/owner-uid'], object.type.kind).toBe(gateway.metadata.uid);
      expect(found?.metadata.labels?.['app.kubernetes.io/managed-by'], object.type.kind).toBe('evenkeel');
    }
    expect(clientOf(control, gateway.metadata.uid)).toMatchObject({ enabled: true, publicClient: true });
  });

  it('R-1.3 R-3.7 a Gateway sends no write to the API server or Keycloak in three more passes', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
    const before = await Promise.all(objects.map((object) => find(control, object)));
    control.world.server.requests.clear();
    control.keycloak.requests.length = 0;
    for (let repetition = 0; repetition < 3; repetition += 1) {
      await control.world.clock.advance(60_000);
      await passOf(control, Gateways, gateway);
      await passOf(control, ManagedDatabases, database);
    }
    expect(control.world.server.requests.writes({ userAgent: 'evenkeel' })).toEqual([]);
    expect(control.keycloak.writes()).toEqual([]);
    expect(control.keycloak.requests.length).toBeGreaterThan(0);
    expect(await control.world.read(Gateways, gateway)).toEqual(gateway);
    expect(await Promise.all(objects.map((object) => find(control, object)))).toEqual(before);
  });

  it('R-3.1 a Gateway creates nothing until its database is ready, and nothing in the cluster until its client is', async () => {
    const control = await controlPlaneWorld();
    const made = async () => (await leftovers(control)).filter((each) => !/^(Gateway|ManagedDatabase) /.test(each));
    const gateway = await createGateway(control);
    await settle(control);
    expect(await made()).toEqual([]);
    expect(shown(await control.world.read(Gateways, gateway))).toEqual({
      DatabaseReady: 'False DatabaseNotFound',
      IdentityReady: 'False WaitingForDatabase',
      ResourcesApplied: 'False WaitingForDatabase',
      Available: 'Unknown NotEvaluated',
      Ready: 'False DatabaseNotFound',
      Stalled: 'True DatabaseNotFound',
    });
    expect(phaseOf(await control.world.read(Gateways, gateway))).toBe('Pending');

    const down = control.keycloak.faults.inject({ match: () => true, fault: { status: 503 } });
    await createDatabase(control);
    await settle(control);
    expect((await made()).map((each) => each.split(' ')[0])).toEqual(['Namespace', 'Cluster']);
    expect(shown(await control.world.read(Gateways, gateway))).toMatchObject({
      DatabaseReady: 'True DatabaseReady',
      IdentityReady: 'Unknown IdentityUnavailable',
      ResourcesApplied: 'False WaitingForIdentity',
    });
    down.remove();
    await settle(control);
    expect(phaseOf(await control.world.read(Gateways, gateway))).toBe('Running');
  });

  it('R-3.1 a Gateway creates no workload and removes what the pass created when a role cannot be created', async () => {
    const control = await controlPlaneWorld();
    await createDatabase(control);
    await settle(control);
    const match = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/roles');
    const failing = control.keycloak.faults.inject({ match, fault: { status: 500 } });
    const gateway = await createGateway(control);
    await passOf(control, Gateways, gateway);
    expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
    expect(await leftovers(control)).toHaveLength(4);
    // Recorded before it was created.
    expect((await control.world.read(Gateways, gateway)).status).toHaveProperty('identity.realm', 'shop');
    failing.remove();
    await settle(control);
    expect(phaseOf(await control.world.read(Gateways, gateway))).toBe('Running');
  });

  it('R-1.20 a Gateway records the client in the status before the client is created', async () => {
    const control = await controlPlaneWorld();
    await createDatabase(control);
    await settle(control);
    const gateway = await createGateway(control);
    let recorded: unknown;
    control.keycloak.faults.inject({
      match: ({ method, path }) => {
        if (method === 'POST' && path === '/admin/realms/shop/clients' && recorded === undefined) {
          recorded = control.world.read(Gateways, gateway);
        }
        return false;
      },
      fault: { status: 500 },
    });
    await settle(control);
    expect(((await recorded) as KubeObject).status).toMatchObject({ identity: { realm: 'shop' } });
  });

  it('R-3.2 a Gateway reports Degraded and still repairs drift when replicas are missing', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const { world } = control;
    control.operators.options = { idle: [Deployments] };
    const deployment = await find(control, objectOf(gateway, database, Deployments));
    await world.edit(Deployments, deployment!, { status: { readyReplicas: 1 } }, 'status');
    await world.remove(Services, (await find(control, objectOf(gateway, database, Services)))!);
    await settle(control);
    const degraded = await world.read(Gateways, gateway);
    expect(phaseOf(degraded)).toBe('Degraded');
    expect(conditionOf(degraded, 'Available')).toMatchObject({ status: 'False', message: '1/2 replicas ready.' });
    expect(await find(control, objectOf(gateway, database, Services))).toBeDefined();
    await world.edit(Deployments, deployment!, { status: { readyReplicas: 2 } }, 'status');
    await settle(control);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
  });

  it('R-3.2 R-1.22 a Gateway keeps its phase and reports Available Unknown when the Deployment cannot be read', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const fault = control.world.server.inject({
      match: { verb: 'get', resource: 'deployments', userAgent: 'evenkeel' },
      fault: { status: 500 },
    });
    await passOf(control, Gateways, gateway);
    const unsure = await control.world.read(Gateways, gateway);
    expect(phaseOf(unsure)).toBe('Running');
    expect(shown(unsure)).toMatchObject({
      Available: 'Unknown NotEvaluated',
      ResourcesApplied: 'Unknown RequestFailed',
    });
    expect(control.world.reports.at(-1)).toMatchObject({ outcome: 'retry', reason: 'ApiServerError' });
    fault.remove();
    await settle(control);
    expect(shown(await control.world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
  });

  it('R-1.4 R-3.1 a Gateway removes its route when it is disabled, and creates it again when it is enabled', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const route = objectOf(gateway, database, GrpcRoutes);
    const host = { host: 'edge.example.org' };
    await control.world.edit(Gateways, gateway, { spec: { route: { ...host, enabled: false } } });
    await settle(control);
    expect(await find(control, route)).toBeUndefined();
    expect(shown(await control.world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    await control.world.edit(Gateways, gateway, { spec: { route: { ...host, enabled: true } } });
    await settle(control);
    expect(await find(control, route)).toBeDefined();
    await control.world.edit(Gateways, gateway, { spec: { route: null } });
    await settle(control);
    expect(await find(control, route)).toBeUndefined();
  });

  it('R-1.4 R-3.1 a Gateway removes its client with the identity, and creates one in another realm only when the first is gone', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const { uid } = gateway.metadata;
    await control.world.edit(Gateways, gateway, { spec: { identity: null } });
    // No pass runs in between.
    await control.world.edit(Gateways, gateway, { spec: { identity: { realm: 'other' } } });
    const stuck = control.keycloak.faults.inject({
      match: ({ method }) => method === 'DELETE',
      fault: { status: 503 },
    });
    await settle(control);
    expect(clientOf(control, uid, 'other')).toBeUndefined();
    expect(shown(await control.world.read(Gateways, gateway)).IdentityReady).toBe('Unknown IdentityUnavailable');
    stuck.remove();
    await settle(control);
    expect(clientOf(control, uid)).toBeUndefined();
    expect(clientOf(control, uid, 'other')).toBeDefined();
    expect((await control.world.read(Gateways, gateway)).status).toHaveProperty('identity.realm', 'other');

    await control.world.edit(Gateways, gateway, { spec: { identity: null } });
    await settle(control);
    expect(clientOf(control, uid, 'other')).toBeUndefined();
    const now = await control.world.read(Gateways, gateway);
    expect(shown(now)).toMatchObject({ IdentityReady: 'True NotRequested', Ready: 'True AllSatisfied' });
    expect(now.status).not.toHaveProperty('identity');
  });

  it('R-1.4 a Gateway removes roles that the spec does not ask for, and keeps roles of others', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const { uid } = gateway.metadata;
    const roles = () => control.keycloak.realms.get('shop')!.rolesOf(clientOf(control, uid)!.id);
    roles().set('by-hand', { id: 'x', name: 'by-hand', attributes: {} });
    await control.world.edit(Gateways, gateway, { spec: { identity: { realm: 'shop', roles: ['viewer', 'new'] } } });
    await settle(control);
    expect([...roles().keys()].sort()).toEqual(['by-hand', 'new', 'viewer']);
  });

  it('R-3.1 a Gateway rolls out its Deployment only when its configuration or credentials change', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const { world } = control;
    const deployment = objectOf(gateway, database, Deployments);
    const template = async () =>
      JSON.stringify(((await find(control, deployment))?.spec as { template?: unknown } | undefined)?.template);
    const first = await template();
    await world.edit(Gateways, gateway, { spec: { replicas: 3 } });
    await settle(control);
    expect(await template()).toBe(first);
    await world.edit(Gateways, gateway, { spec: { serverDnsNames: ['other.example.org'] } });
    await settle(control);
    const second = await template();
    expect(second).not.toBe(first);
    const authority = gatewayObjects(gateway.metadata.uid, database.metadata.uid)[1]!;
    const rotated = { password: Buffer.from('rotated').toString('base64') };
    await world.edit(Secrets, (await find(control, authority))!, { data: rotated });
    await settle(control);
    expect(await template()).not.toBe(second);
    expect(await template()).not.toContain('rotated');
    expect((await find(control, objectOf(gateway, database, Secrets)))?.data).toMatchObject(rotated);
  });

  it('R-3.3 R-1.15 a Gateway is deleted in order, and is gone only when each step is confirmed absent', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const { world, keycloak } = control;
    const order: string[] = [];
    world.server.inject({
      match: ({ verb, resource, userAgent }) => {
        if (userAgent === 'evenkeel' && verb === 'delete') order.push(resource);
        return false;
      },
      fault: { hang: true },
    });
    keycloak.faults.inject({
      match: ({ method }) => {
        if (method === 'DELETE') order.push('client');
        return false;
      },
      fault: { hang: true },
    });
    await world.remove(Gateways, gateway);
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(order).toEqual([
      'grpcroutes',
      'services',
      'deployments',
      'client',
      'databases',
      'databaseroles',
      'secrets',
      'namespaces',
    ]);
    expect(await leftovers(control)).toHaveLength(3);
  });

  it('R-1.18 every delete request of a Gateway has the UID and the version', async () => {
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const preconditions: unknown[] = [];
    const watched = new Proxy(control.world.api, {
      get: (api, property) => {
        const value: unknown = Reflect.get(api, property, api);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (property === 'delete') preconditions.push((args[2] as { preconditions: unknown }).preconditions);
          return value.apply(api, args);
        };
      },
    });
    await control.world.remove(Gateways, gateway);
    await settle(control, control.world.worker('watched', { clusters: { api: () => watched } }));
    expect(preconditions).toHaveLength(7);
    for (const each of preconditions) {
      expect(each).toEqual({ uid: expect.any(String), resourceVersion: expect.any(String) });
    }
  });

  it('R-3.3 a Gateway shows that it waits, and forces nothing, when a finalizer of others stops a step', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const { world } = control;
    const deployment = objectOf(gateway, database, Deployments);
    const finalizers = ['example.org/audit'];
    await world.edit(Deployments, (await find(control, deployment))!, { metadata: { finalizers } });
    await world.remove(Gateways, gateway);
    await settle(control);
    const waiting = await world.read(Gateways, gateway);
    expect(phaseOf(waiting)).toBe('Terminating');
    expect(conditionOf(waiting, 'CleanupPending')).toMatchObject({ status: 'True', reason: 'Deleting' });
    expect(conditionOf(waiting, 'CleanupPending')?.message).toMatch(
      /Deployment is being deleted and waits for finalizers: example.org\/audit. Remaining: Deployment, identity client, Database/,
    );
    const held = await find(control, deployment);
    expect(held?.metadata.finalizers).toEqual(finalizers);
    expect(clientOf(control, gateway.metadata.uid)).toBeDefined();
    await world.edit(Deployments, held!, { metadata: { finalizers: null } });
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });

  it('R-3.3 a Gateway tells CloudNativePG to drop the data only when it is deleted', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control);
    const { world } = control;
    const policies = async () => {
      const database_ = await find(control, objectOf(gateway, database, Databases));
      const role = await find(control, objectOf(gateway, database, DatabaseRoles));
      const of = (object: KubeObject | undefined, field: string) =>
        (object?.spec as Record<string, unknown> | undefined)?.[field];
      return [of(database_, 'databaseReclaimPolicy'), of(role, 'databaseRoleReclaimPolicy')];
    };
    expect(await policies()).toEqual(['retain', 'retain']);
    for (const type of [Databases, DatabaseRoles]) {
      const object = await find(control, objectOf(gateway, database, type));
      await world.edit(type, object!, { metadata: { finalizers: ['cnpg.io/drop'] } });
    }
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(await policies()).toEqual(['delete', 'retain']);
    const dropped = await find(control, objectOf(gateway, database, Databases));
    await world.edit(Databases, dropped!, { metadata: { finalizers: null } });
    await settle(control);
    expect(await policies()).toEqual([undefined, 'delete']);
  });

  it('R-3.4 many Gateways share one database when each has its own names', async () => {
    const control = await controlPlaneWorld();
    const database = await createDatabase(control);
    await settle(control);
    for (let index = 0; index < GATEWAYS; index += 1) await createGateway(control, { replicas: 1 }, `edge-${index}`);
    await settle(control);
    const gateways = (await control.world.user.list(Gateways)).items;
    expect(gateways.map(phaseOf)).toEqual(Array.from({ length: GATEWAYS }, () => 'Running'));
    const namespace = databaseObjects(database.metadata.uid)[1]!.namespace;
    for (const type of [Databases, DatabaseRoles, Secrets]) {
      const { items } = await control.world.user.list(type, { namespace });
      expect(new Set(items.map(({ spec, metadata }) => (spec as { name?: string })?.name ?? metadata.name)).size).toBe(
        GATEWAYS,
      );
    }
    expect(conditionOf(await control.world.read(ManagedDatabases, database), 'InUse')?.message).toContain(
      `${GATEWAYS} Gateways`,
    );
    expect(control.keycloak.realms.get('shop')?.clients.size).toBe(GATEWAYS);
  }, 180_000);

  it('R-1.11 a Gateway moves to a ManagedDatabase that was created again, and its objects next to the old one are removed', async () => {
    const control = await controlPlaneWorld();
    const { gateway, database } = await runningGateway(control, { database: { deletionPolicy: 'Retain' } });
    const { world } = control;
    const [secret] = [objectOf(gateway, database, Secrets)];
    const before = (await find(control, secret))?.data;
    await world.edit(ManagedDatabases, database, { metadata: { finalizers: null } });
    await world.remove(ManagedDatabases, database);
    const again = await createDatabase(control);
    await settle(control);
    const old = gatewayObjects(gateway.metadata.uid, database.metadata.uid).slice(1, 4);
    for (const object of old) expect(await find(control, object), object.type.kind).toBeUndefined();
    const now = gatewayObjects(gateway.metadata.uid, again.metadata.uid);
    for (const object of now) expect(await find(control, object), object.type.kind).toBeDefined();
    expect((await find(control, secret))?.data).toEqual(before);
    expect(phaseOf(await world.read(Gateways, gateway))).toBe('Running');
    // No other object depends on the old Cluster.
    expect(await find(control, databaseObjects(database.metadata.uid)[1]!)).toBeDefined();
  });
});
