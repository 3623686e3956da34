import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clusters, Gateways, GrpcRoutes, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, kindId, Namespaces } from '../../../lib/core/resource-type.ts';
import { ClusterRun, type OpenCluster, type TestedCluster } from './cluster-run.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  createDatabase,
  databaseObjects,
  find,
  gatewayObjects,
  type OwnedObject,
  passOf,
  phaseOf,
  shown,
} from './control-plane-world.ts';
import { EDITS, essence } from './drift-edits.ts';

/**
 * From creation to deletion, on any API server. Checks what exists in the end, whatever the server's own controllers do
 * in between.
 */
export function describeLifecycle(name: string, open: OpenCluster): void {
  describe(`the control plane on ${name}`, { timeout: 600_000 }, () => {
    let cluster: TestedCluster;
    let control: ControlPlaneWorld;
    let run: ClusterRun;

    beforeEach(async () => {
      cluster = await open();
      ({ control } = cluster);
      run = new ClusterRun(cluster);
    });
    afterEach(async () => {
      await cluster.close();
    });

    it('R-3.1 R-1.3 a Gateway goes from created to Running, and then writes nothing, also not to Keycloak', async () => {
      const { gateway, database } = await run.provision();
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
      const [writes, atKeycloak] = [run.writes().length, control.keycloak.writes().length];
      for (let repetition = 0; repetition < 3; repetition += 1) {
        await passOf(control, Gateways, gateway);
        await passOf(control, ManagedDatabases, database);
      }
      expect([run.writes().length, control.keycloak.writes().length]).toEqual([writes, atKeycloak]);
      expect(await Promise.all(objects.map((object) => find(control, object)))).toEqual(before);
      expect(await run.read(Gateways, gateway)).toEqual(gateway);
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
          await run.patch(Clusters, found!, { status: { conditions: [down] } }, 'status');
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
      'R-1.4 R-3.1 R-3.2 a Gateway repairs drift of every kind, edited and removed, %s',
      async (situation) => {
        const { gateway, database } = await run.provision();
        const [type, status, begin] = SITUATIONS[situation]!;
        await begin(database);
        await run.settle();
        expect(conditionOf(await run.read(Gateways, gateway), type)?.status).toBe(status);
        const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
        const essenceOf = async (object: OwnedObject) => {
          const found = await find(control, object);
          const dropped = (key: string, value: unknown) =>
            /credentials-version$|^clusterIPs?$|^field.cattle|^deployment.kubernetes.io/.test(key) ? '' : value;
          return found === undefined ? undefined : JSON.parse(JSON.stringify(essence(found), dropped));
        };
        // The namespace is last, because its deletion removes everything.
        for (const object of [...objects.slice(1), objects[0]!]) {
          const wanted = await essenceOf(object);
          await run.patch(object.type, (await find(control, object))!, EDITS[kindId(object.type)]!);
          await run.settle();
          expect(await essenceOf(object), `${object.type.kind} edited`).toEqual(wanted);
          const removed = (await find(control, object))!;
          await run.remove(object.type, removed);
          await run.settleUntil(async () => {
            const again = await find(control, object);
            const isNew = again !== undefined && again.metadata.uid !== removed.metadata.uid;
            return isNew && !(await run.isGone(objects[9]!));
          });
          await run.settle();
          expect(await essenceOf(object), `${object.type.kind} removed`).toEqual(wanted);
        }
        for (const object of objects) expect(await run.isGone(object), object.type.kind).toBe(false);
        const now = await run.read(Gateways, gateway);
        expect(conditionOf(now, type)?.status, JSON.stringify(now.status)).toBe(status);
        expect(phaseOf(now)).toBe('Running');
      },
    );

    it('R-3.2 a Gateway reports its health', async () => {
      const { gateway, database } = await run.provision();
      control.operators.options = { idle: [Deployments] };
      const deployment = (await find(control, gatewayObjects(gateway.metadata.uid, database.metadata.uid)[9]!))!;
      await run.patch(Deployments, deployment, { status: { readyReplicas: 1, availableReplicas: 1 } }, 'status');
      await run.settle();
      expect(phaseOf(await run.read(Gateways, gateway))).toBe('Degraded');
      expect(conditionOf(await run.read(Gateways, gateway), 'Available')?.message).toBe('1/2 replicas ready.');
      control.operators.options = {};
      await run.settle();
      expect(phaseOf(await run.read(Gateways, gateway))).toBe('Running');
    });

    it('R-1.4 a Gateway removes its route and its client when the spec disables them', async () => {
      const { gateway, database } = await run.provision();
      await run.patch(Gateways, gateway, {
        spec: { route: { host: 'a.example.org', enabled: false }, identity: null },
      });
      await run.settle();
      const route = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(
        ({ type }) => type === GrpcRoutes,
      )!;
      expect(await run.isGone(route)).toBe(true);
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
      expect(shown(await run.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    });

    it('R-1.15 R-3.3 R-3.4 the API server answers 404 only after the cleanup: for the Gateway, then for the database that waited', async () => {
      const { gateway, database } = await run.provision();
      const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
      await run.remove(ManagedDatabases, database);
      await run.settle();
      expect(shown(await run.read(ManagedDatabases, database)).Ready).toBe('False GatewaysRemain');
      await run.remove(Gateways, gateway);
      await run.settleUntil(async () => {
        const left = await find(control, run.placeOf(Gateways, gateway));
        if (left !== undefined) {
          expect(left.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
          return false;
        }
        for (const object of objects) expect(await run.isGone(object), object.type.kind).toBe(true);
        return true;
      });
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
      await run.settleUntil(() => run.isGone(run.placeOf(ManagedDatabases, database)));
      for (const object of databaseObjects(database.metadata.uid)) expect(await run.isGone(object)).toBe(true);
    });

    it('R-3.4 R-1.20 a database with the policy Retain leaves its Cluster and namespace without our marks', async () => {
      const database = await createDatabase(control, { deletionPolicy: 'Retain' });
      run.targets.push([ManagedDatabases, database]);
      await run.settle();
      await run.remove(ManagedDatabases, database);
      await run.settleUntil(() => run.isGone(run.placeOf(ManagedDatabases, database)));
      for (const object of databaseObjects(database.metadata.uid).reverse()) {
        const found = (await find(control, object))!;
        expect(found.metadata.deletionTimestamp).toBeUndefined();
        expect(JSON.stringify([found.metadata.labels, found.metadata.annotations])).not.toContain('evenkeel');
        await run.remove(object.type, found);
      }
    });

    it('R-3.5 the namespace of a Gateway is collected after the grace period when the Gateway was deleted by force', async () => {
      const { gateway } = await run.provision({ gateway: { route: { enabled: false }, identity: null } });
      run.targets.pop();
      await run.patch(Gateways, gateway, { metadata: { finalizers: null } });
      await run.remove(Gateways, gateway);
      const own = { type: Namespaces, namespace: '', name: gatewayNamespace(gateway.metadata.uid) };
      const namespace = (await find(control, own))!;
      run.targets.push([Namespaces, namespace]);
      await run.settle();
      expect((await find(control, own))?.metadata.annotations).toHaveProperty('evenkeel.dev/orphaned-since');
      await control.world.clock.advance(500_000);
      await run.settle();
      expect((await find(control, own))!.metadata.deletionTimestamp).toBeUndefined();
      await control.world.clock.advance(200_000);
      await run.settleUntil(() => run.isGone(own));
    });
  });
}
