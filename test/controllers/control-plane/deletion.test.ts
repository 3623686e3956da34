import { describe, expect, it } from 'vitest';
import { DatabaseRoles, Databases, Gateways, GrpcRoutes } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  type ResourceType,
} from '../../../lib/core/resource-type.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  conditionOf,
  controlPlaneWorld,
  find,
  gatewayObjects,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';
import { RELABELLED } from './drift-edits.ts';

const POLICIES = new Map<ResourceType, string>([
  [Databases, 'databaseReclaimPolicy'],
  [DatabaseRoles, 'databaseRoleReclaimPolicy'],
]);

/** The deletion policy of an object that CloudNativePG reads. */
async function policyOf(control: ControlPlaneWorld, type: ResourceType): Promise<unknown> {
  const [object] = (await control.user.list(type)).items;
  return (object?.spec as Record<string, unknown> | undefined)?.[POLICIES.get(type) ?? ''];
}

describe('the deletion of a Gateway', () => {
  it.each([
    ['lost its label', RELABELLED, false],
    ['was deleted by somebody before', {}, true],
  ])('R-3.3 the deletion of a Gateway removes the data when its object %s', async (_, change, removes) => {
    for (const type of POLICIES.keys()) {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { gateway, database } = await runningGateway(control);
      const object = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find((each) => each.type === type)!;
      const finalizers = { metadata: { finalizers: ['cnpg.io/drop'] } };
      const held = await world.edit(type, (await find(control, object))!, finalizers);
      const changed = await world.edit(type, held, change);
      if (removes) await world.remove(type, changed);
      await world.remove(Gateways, gateway);
      let whenDeleted: Promise<unknown> | undefined;
      world.server.inject({
        match: ({ verb, resource, userAgent }) => {
          if (userAgent === 'evenkeel' && verb === 'delete' && resource === type.plural) {
            whenDeleted = policyOf(control, type);
          }
          return false;
        },
        fault: { status: 500 },
      });
      await settle(control);
      expect(await (removes ? policyOf(control, type) : whenDeleted), type.kind).toBe('delete');
      await world.edit(type, held, { metadata: { finalizers: null } });
      await settle(control);
      expect(await leftovers(control)).toHaveLength(3);
    }
  });

  /** Each step that removes an object from the cluster, and the kinds that are removed before. */
  const STEPS = ['GRPCRoute', 'Service', 'Deployment', 'Database', 'DatabaseRole', 'Secret', 'Namespace'] as const;

  it.each(STEPS)(
    'R-3.3 R-1.19 a finalizer of others on the %s stops that step and the later ones, and nothing else',
    async (kind) => {
      const control = await controlPlaneWorld();
      const { world } = control;
      const { gateway, database } = await runningGateway(control);
      const objects = gatewayObjects(gateway.metadata.uid, database.metadata.uid);
      const placeOf = (each: string) => objects.find(({ type }) => type.kind === each)!;
      const finalizers = ['example.org/audit'];
      const place = placeOf(kind);
      await world.edit(place.type, (await find(control, place))!, { metadata: { finalizers } });
      await world.remove(Gateways, gateway);
      await settle(control);
      const told = conditionOf(await world.read(Gateways, gateway), 'CleanupPending');
      expect(told).toMatchObject({ reason: 'Deleting', message: expect.stringContaining('example.org/audit') });
      for (const step of STEPS) {
        const object = await find(control, placeOf(step));
        const isBefore = STEPS.indexOf(step) < STEPS.indexOf(kind);
        expect(object === undefined, step).toBe(isBefore);
        if (step === kind) expect(object?.metadata.finalizers).toContain('example.org/audit');
        else expect(object?.metadata.deletionTimestamp, step).toBeUndefined();
      }
      const hasClient = STEPS.indexOf(kind) <= STEPS.indexOf('Deployment');
      expect(clientOf(control, gateway.metadata.uid) !== undefined).toBe(hasClient);
      const held = (await find(control, place))!;
      const others = held.metadata.finalizers!.filter((each) => each !== 'example.org/audit');
      await world.edit(place.type, held, { metadata: { finalizers: others } });
      await world.server.idle();
      await settle(control);
      expect(await leftovers(control)).toHaveLength(3);
    },
  );

  it('R-3.3 the client stays until the objects of the Deployment are gone', async () => {
    const control = await controlPlaneWorld();
    const { world } = control;
    const { gateway, database } = await runningGateway(control);
    const place = gatewayObjects(gateway.metadata.uid, database.metadata.uid).find(({ type }) => type === Deployments)!;
    const deployment = (await find(control, place))!;
    const { uid, name } = deployment.metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true };
    const pod = await world.create(ConfigMaps, {
      metadata: { namespace: place.namespace, name: 'pod', ownerReferences: [owner], finalizers: ['example.org/busy'] },
    });
    await world.remove(Gateways, gateway);
    await settle(control);
    expect(conditionOf(await world.read(Gateways, gateway), 'CleanupPending')?.message).toContain(
      'Deployment is being deleted',
    );
    expect(clientOf(control, gateway.metadata.uid)).toBeDefined();
    await world.edit(ConfigMaps, pod, { metadata: { finalizers: null } });
    await world.server.idle();
    await settle(control);
    expect(await leftovers(control)).toHaveLength(3);
  });
});

it('R-5.10 R-1.4 a disabled route needs no Gateway API when its definition is gone', async () => {
  const control = await controlPlaneWorld();
  const { world } = control;
  const { gateway } = await runningGateway(control);
  const name = 'grpcroutes.gateway.networking.k8s.io';
  await world.remove(
    CustomResourceDefinitions,
    await world.user.get(CustomResourceDefinitions, { namespace: '', name }),
  );
  await world.server.idle();
  await passOf(control, Gateways, gateway);
  expect(shown(await world.read(Gateways, gateway)).ResourcesApplied).toBe('False KindNotInstalled');
  await world.edit(Gateways, gateway, { spec: { route: { enabled: false } } });
  await settle(control);
  const now = await world.read(Gateways, gateway);
  expect(shown(now).Ready).toBe('True AllSatisfied');
  expect(phaseOf(now)).toBe('Running');
  await expect(control.user.list(GrpcRoutes)).rejects.toMatchObject({ reason: 'KindMissing' });
});
