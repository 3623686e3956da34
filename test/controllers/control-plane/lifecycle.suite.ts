import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clusters, Gateways, GrpcRoutes, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { JsonValue, KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, kindId, Namespaces, type ResourceType } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  createDatabase,
  createGateway,
  databaseObjects,
  find,
  gatewayObjects,
  type OwnedObject,
  passOf,
  phaseOf,
  shown,
} from './control-plane-world.ts';
import { EDITS, essence } from './drift-edits.ts';

/** An API server with its garbage collector and its namespace controller, and a namespace on it to work in. */
export interface LifecycleCluster {
  readonly control: ControlPlaneWorld;
  /** Evenkeel's requests that may have changed something, since the start, as `PATCH /path`. */
  writes(): readonly string[];
  close(): Promise<void>;
}

const LOOK_AGAIN_MS = 100;
const MAX_ROUNDS = 30;

/** From made to gone, on any API server: what is done there is what counts, whatever the server's own controllers do meanwhile. */
export function describeLifecycle(name: string, open: () => Promise<LifecycleCluster>): void {
  describe(`the control plane on ${name}`, { timeout: 120_000 }, () => {
    let cluster: LifecycleCluster;
    let control: ControlPlaneWorld;
    const targets: [ResourceType, KubeObject][] = [];

    beforeEach(async () => {
      cluster = await open();
      ({ control } = cluster);
      targets.length = 0;
    });
    afterEach(async () => {
      await cluster.close();
    });

    /** Passes and turns of the operators, until nothing is written any more. */
    const settle = async () => {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const before = cluster.writes().length;
        // Below the rate limit.
        await control.world.clock.advance(1_000 * targets.length);
        for (const [type, object] of targets) await passOf(control, type, object);
        const played = await playOperators(control.user, control.operators.options);
        if (cluster.writes().length === before && played === 0) return;
      }
      throw new Error(`it does not settle: ${cluster.writes().slice(-6).join(', ')}`);
    };
    /** What takes the server's own controllers a while; the test's time limit is the only bound. */
    const settleUntil = async (isSo: () => Promise<boolean>) => {
      for (;;) {
        await settle();
        if (await isSo()) return;
        await delay(LOOK_AGAIN_MS);
      }
    };
    const isGone = async (object: OwnedObject) => (await find(control, object)) === undefined;
    const ownName = (type: ResourceType, { metadata }: KubeObject) => ({
      type,
      namespace: control.namespace,
      name: metadata.name,
    });
    const read = async (type: ResourceType, object: KubeObject) =>
      await control.user.get(type, { namespace: control.namespace, name: object.metadata.name });
    const patch = async (type: ResourceType, { metadata }: KubeObject, body: object, subresource?: 'status') =>
      await control.user.patch(
        type,
        { namespace: metadata.namespace ?? '', name: metadata.name },
        { type: 'merge', patch: body as JsonValue },
        { fieldManager: 'test', ...(subresource && { subresource }) },
      );
    const remove = async (type: ResourceType, { metadata }: KubeObject) =>
      await control.user.delete(
        type,
        { namespace: metadata.namespace ?? '', name: metadata.name },
        { preconditions: { uid: metadata.uid } },
      );

    const provision = async ({ gateway = {}, database = {} }: { gateway?: object; database?: object } = {}) => {
      const main = await createDatabase(control, database);
      targets.push([ManagedDatabases, main]);
      await settle();
      const edge = await createGateway(control, gateway);
      targets.push([Gateways, edge]);
      await settle();
      return { gateway: await read(Gateways, edge), database: await read(ManagedDatabases, main) };
    };

    it('R-3.1 R-1.3 goes from created to Running, and then writes nothing, at Keycloak neither', async () => {
      const { gateway, database } = await provision();
      expect(shown(gateway)).toEqual({
        DatabaseReady: 'True DatabaseReady',
        IdentityReady: 'True ClientReady',
        ResourcesApplied: 'True AllApplied',
        Available: 'True ReplicasReady',
        Ready: 'True AllSatisfied',
      });
      expect(phaseOf(gateway)).toBe('Running');
      const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
      const before = await Promise.all(objects.map((object) => find(control, object)));
      expect(before.map((object) => object?.metadata.annotations?.['evenkeel.dev/owner-uid'])).toEqual(
        objects.map(() => gateway.metadata.uid),
      );
      const [writes, atKeycloak] = [cluster.writes().length, control.keycloak.writes().length];
      for (let repetition = 0; repetition < 3; repetition += 1) {
        await passOf(control, Gateways, gateway);
        await passOf(control, ManagedDatabases, database);
      }
      expect([cluster.writes().length, control.keycloak.writes().length]).toEqual([writes, atKeycloak]);
      expect(await Promise.all(objects.map((object) => find(control, object)))).toEqual(before);
      expect(await read(Gateways, gateway)).toEqual(gateway);
    });

    const SITUATIONS: Readonly<Record<string, [string, string, (database: KubeObject) => Promise<void>]>> = {
      'while Running': ['Ready', 'True', async () => undefined],
      'while DatabaseReady is False': [
        'DatabaseReady',
        'False',
        async (database) => {
          control.operators.options = { idle: [Clusters] };
          const found = await find(control, databaseObjects(database.metadata.uid)[1]!);
          const down = {
            type: 'Ready',
            status: 'False',
            reason: 'Down',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          };
          await patch(Clusters, found!, { status: { conditions: [down] } }, 'status');
        },
      ],
      'while IdentityReady is False': [
        'IdentityReady',
        'False',
        async () => {
          control.keycloak.realms.delete('shop');
        },
      ],
      'while IdentityReady is Unknown': [
        'IdentityReady',
        'Unknown',
        async () => {
          control.keycloak.faults.inject({ match: ({ path }) => path.startsWith('/admin'), fault: { status: 503 } });
        },
      ],
    };
    it.each(Object.keys(SITUATIONS))(
      'R-1.4 R-3.1 R-3.2 repairs drift of every kind, edited and removed, %s',
      async (situation) => {
        const { gateway, database } = await provision();
        const [type, status, begin] = SITUATIONS[situation]!;
        await begin(database);
        await settle();
        expect(conditionOf(await read(Gateways, gateway), type)?.status).toBe(status);
        const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
        const essenceOf = async (object: OwnedObject) => {
          const found = await find(control, object);
          const dropped = (key: string, value: unknown) =>
            /credentials-version$|^clusterIPs?$|^field.cattle|^deployment.kubernetes.io/.test(key) ? '' : value;
          return found === undefined ? undefined : JSON.parse(JSON.stringify(essence(found), dropped));
        };
        // The namespace last, since everything goes with it.
        for (const object of [...objects.slice(1), objects[0]!]) {
          const wanted = await essenceOf(object);
          await patch(object.type, (await find(control, object))!, EDITS[kindId(object.type)]!);
          await settle();
          expect(await essenceOf(object), `${object.type.kind} edited`).toEqual(wanted);
          const removed = (await find(control, object))!;
          await remove(object.type, removed);
          await settleUntil(async () => {
            const again = await find(control, object);
            const isNew = again !== undefined && again.metadata.uid !== removed.metadata.uid;
            return isNew && !(await isGone(objects[9]!));
          });
          await settle();
          expect(await essenceOf(object), `${object.type.kind} removed`).toEqual(wanted);
        }
        for (const object of objects) expect(await isGone(object), object.type.kind).toBe(false);
        const now = await read(Gateways, gateway);
        expect(conditionOf(now, type)?.status, JSON.stringify(now.status)).toBe(status);
        expect(phaseOf(now)).toBe('Running');
      },
    );

    it('R-3.2 reports how it is', async () => {
      const { gateway, database } = await provision();
      control.operators.options = { idle: [Deployments] };
      const deployment = (await find(control, gatewayObjects(gateway.metadata.uid, database.metadata.uid)[9]!))!;
      await patch(Deployments, deployment, { status: { readyReplicas: 1, availableReplicas: 1 } }, 'status');
      await settle();
      expect(phaseOf(await read(Gateways, gateway))).toBe('Degraded');
      expect(conditionOf(await read(Gateways, gateway), 'Available')?.message).toBe('1/2 replicas ready.');
      control.operators.options = {};
      await settle();
      expect(phaseOf(await read(Gateways, gateway))).toBe('Running');
    });

    it('R-1.4 prunes a disabled route and a removed identity', async () => {
      const { gateway, database } = await provision();
      await patch(Gateways, gateway, { spec: { route: { host: 'a.example.org', enabled: false }, identity: null } });
      await settle();
      const route = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(
        ({ type }) => type === GrpcRoutes,
      )!;
      expect(await isGone(route)).toBe(true);
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
      expect(shown(await read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    });

    it('R-1.15 R-3.3 R-3.4 is answered 404 only once all is gone: the Gateway, then the database that waited for it', async () => {
      const { gateway, database } = await provision();
      const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
      await remove(ManagedDatabases, database);
      await settle();
      expect(shown(await read(ManagedDatabases, database)).Ready).toBe('False GatewaysRemain');
      await remove(Gateways, gateway);
      await settleUntil(async () => {
        const left = await find(control, ownName(Gateways, gateway));
        if (left !== undefined) {
          expect(left.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
          return false;
        }
        for (const object of objects) expect(await isGone(object), object.type.kind).toBe(true);
        return true;
      });
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
      await settleUntil(() => isGone(ownName(ManagedDatabases, database)));
      for (const object of databaseObjects(database.metadata.uid)) expect(await isGone(object)).toBe(true);
    });

    it('R-3.4 R-1.20 a database by Retain leaves its Cluster and namespace, released', async () => {
      const database = await createDatabase(control, { deletionPolicy: 'Retain' });
      targets.push([ManagedDatabases, database]);
      await settle();
      await remove(ManagedDatabases, database);
      await settleUntil(() => isGone(ownName(ManagedDatabases, database)));
      for (const object of databaseObjects(database.metadata.uid).reverse()) {
        const found = (await find(control, object))!;
        expect(found.metadata.deletionTimestamp).toBeUndefined();
        expect(JSON.stringify([found.metadata.labels, found.metadata.annotations])).not.toContain('evenkeel');
        await remove(object.type, found);
      }
    });

    it('R-3.5 the namespace of a Gateway that was taken away by force is collected after its grace', async () => {
      const { gateway } = await provision({ gateway: { route: { enabled: false }, identity: null } });
      targets.pop();
      await patch(Gateways, gateway, { metadata: { finalizers: null } });
      await remove(Gateways, gateway);
      const own = { type: Namespaces, namespace: '', name: gatewayNamespace(gateway.metadata.uid) };
      const namespace = (await find(control, own))!;
      targets.push([Namespaces, namespace]);
      await settle();
      expect((await find(control, own))?.metadata.annotations).toHaveProperty('evenkeel.dev/orphaned-since');
      await control.world.clock.advance(500_000);
      await settle();
      expect((await find(control, own))!.metadata.deletionTimestamp).toBeUndefined();
      await control.world.clock.advance(200_000);
      await settleUntil(() => isGone(own));
    });
  });
}
