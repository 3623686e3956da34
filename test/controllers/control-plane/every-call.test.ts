import { describe, expect, it } from 'vitest';
import { DatabaseRoles, Databases, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { Events, Namespaces, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { IdentityError } from '../../../lib/ports/identity-provider.ts';
import { type CallFault, CallFaults, CrashedError } from '../../../lib/testing/call-faults.ts';
import { playOperators } from '../../support/play-operators.ts';
import {
  type ControlPlaneWorld,
  clientOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  gatewayObjects,
  leftovers,
  passOf,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

interface Scenario {
  readonly name: string;
  /** Brings the world to where the faulty passes start, and says whose they are. */
  prepare(control: ControlPlaneWorld): Promise<{ type: ResourceType; object: KubeObject }>;
  /** What holds once everything that was to happen has happened. */
  check(control: ControlPlaneWorld): Promise<void>;
}

async function expectRunning(control: ControlPlaneWorld): Promise<void> {
  const gateway = await control.world.user.get(Gateways, { namespace: 'team-a', name: 'edge' });
  const database = await control.world.user.get(ManagedDatabases, { namespace: 'team-a', name: 'main' });
  expect(shown(gateway).Ready).toBe('True AllSatisfied');
  expect(phaseOf(gateway)).toBe('Running');
  expect(gateway.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
  const { uid } = gateway.metadata;
  const wanted = gatewayObjects(uid, database.metadata.uid);
  for (const object of wanted) expect(await find(control, object), object.type.kind).toBeDefined();
  // Nothing twice, nothing left behind by a pass that died: the objects, the database's two and the primaries.
  expect((await leftovers(control)).length).toBe(wanted.length + 2 + 2 + 1);
  const secrets = [wanted[1]!, wanted[4]!].map(async (object) => (await find(control, object))?.data);
  const [authority, copy] = await Promise.all(secrets);
  expect(copy).toEqual(authority);
  const client = clientOf(control, uid)!;
  expect([...control.keycloak.realms.get('shop')!.rolesOf(client.id).keys()].sort()).toEqual(['admin', 'viewer']);
  expect(client.protocolMappers.length).toBe(2);
}

const SCENARIOS: Scenario[] = [
  {
    name: 'provisioning a Gateway',
    prepare: async (control) => {
      await createDatabase(control);
      await settle(control);
      return { type: Gateways, object: await createGateway(control) };
    },
    check: expectRunning,
  },
  {
    name: 'deleting a Gateway',
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      await control.world.remove(Gateways, gateway);
      return { type: Gateways, object: gateway };
    },
    check: async (control) => {
      expect(await leftovers(control)).toEqual([
        expect.stringMatching(/^Namespace \/hs-db-/),
        expect.stringMatching(/^Cluster hs-db-/),
        'ManagedDatabase team-a/main',
      ]);
    },
  },
  {
    name: 'pruning the route and the client of a Gateway',
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      const spec = { route: { enabled: false }, identity: null };
      return { type: Gateways, object: await control.world.edit(Gateways, gateway, { spec }) };
    },
    check: async (control) => {
      const gateway = await control.world.user.get(Gateways, { namespace: 'team-a', name: 'edge' });
      expect(shown(gateway)).toMatchObject({ Ready: 'True AllSatisfied', IdentityReady: 'True NotRequested' });
      expect(clientOf(control, gateway.metadata.uid)).toBeUndefined();
      expect((await leftovers(control)).filter((each) => /GRPCRoute|client/.test(each))).toEqual([]);
    },
  },
  {
    name: 'provisioning a ManagedDatabase',
    prepare: async (control) => ({ type: ManagedDatabases, object: await createDatabase(control) }),
    check: async (control) => {
      const database = await control.world.user.get(ManagedDatabases, { namespace: 'team-a', name: 'main' });
      expect(shown(database)).toMatchObject({ Provisioned: 'True ClusterApplied', Ready: 'True ClusterReady' });
      expect((await leftovers(control)).length).toBe(3);
    },
  },
  ...(['Delete', 'Retain'] as const).map(
    (deletionPolicy): Scenario => ({
      name: `deleting a ManagedDatabase by ${deletionPolicy}`,
      prepare: async (control) => {
        const database = await createDatabase(control, { deletionPolicy });
        await settle(control);
        await control.world.remove(ManagedDatabases, database);
        return { type: ManagedDatabases, object: database };
      },
      check: async (control) => {
        const left = await leftovers(control);
        expect(left.map((each) => each.split(' ')[0])).toEqual(
          deletionPolicy === 'Delete' ? [] : ['Namespace', 'Cluster'],
        );
      },
    }),
  ),
];

const GRACE_MS = 600_000;

/** The namespace of a Gateway that was taken away by force. */
async function orphan(control: ControlPlaneWorld): Promise<KubeObject> {
  const { gateway } = await runningGateway(control, { gateway: { route: null, identity: null } });
  await control.world.edit(Gateways, gateway, { metadata: { finalizers: null } });
  await control.world.remove(Gateways, gateway);
  return await control.user.get(Namespaces, { namespace: '', name: gatewayNamespace(gateway.metadata.uid) });
}

async function orphans(control: ControlPlaneWorld): Promise<KubeObject[]> {
  const { items } = await control.user.list(Namespaces);
  return items.filter(({ metadata }) => /^hs-(?!db-)/.test(metadata.name));
}

SCENARIOS.push(
  {
    name: 'marking an orphaned namespace',
    prepare: async (control) => ({ type: Namespaces, object: await orphan(control) }),
    check: async (control) => {
      const [marked, ...others] = await orphans(control);
      expect(others).toEqual([]);
      expect(marked?.metadata.annotations).toHaveProperty('evenkeel.dev/orphaned-since');
      expect(marked?.metadata.deletionTimestamp).toBeUndefined();
      await control.world.clock.advance(GRACE_MS);
      await settle(control);
      expect(await orphans(control)).toEqual([]);
    },
  },
  {
    name: 'collecting an orphaned namespace',
    prepare: async (control) => {
      const object = await orphan(control);
      await passOf(control, Namespaces, object);
      await control.world.clock.advance(GRACE_MS);
      return { type: Namespaces, object };
    },
    check: async (control) => {
      expect(await orphans(control)).toEqual([]);
      // Told once, however often it was tried.
      const told = (await control.user.list(Events)).items.filter(
        ({ reason }) => reason === 'OrphanedNamespaceDeleted',
      );
      expect(told).toHaveLength(1);
    },
  },
  {
    name: 'moving a Gateway to a database that was made anew',
    prepare: async (control) => {
      const { world } = control;
      const { gateway, database } = await runningGateway(control, { database: { deletionPolicy: 'Retain' } });
      await world.edit(ManagedDatabases, database, { metadata: { finalizers: null } });
      await world.remove(ManagedDatabases, database);
      const again = await createDatabase(control);
      for (let pass = 0; pass < 4; pass += 1) {
        await passOf(control, ManagedDatabases, again);
        await playOperators(world.user);
      }
      return { type: Gateways, object: gateway };
    },
    check: async (control) => {
      const gateway = await control.user.get(Gateways, { namespace: 'team-a', name: 'edge' });
      const database = await control.user.get(ManagedDatabases, { namespace: 'team-a', name: 'main' });
      expect(shown(gateway).Ready).toBe('True AllSatisfied');
      for (const object of gatewayObjects(gateway.metadata.uid, database.metadata.uid)) {
        expect(await find(control, object), object.type.kind).toBeDefined();
      }
      // Beside the old Cluster nothing of the Gateway is left, and nothing is twice.
      expect((await control.user.list(Databases)).items).toHaveLength(1);
      expect((await control.user.list(DatabaseRoles)).items).toHaveLength(1);
      expect((await control.user.list(Secrets)).items).toHaveLength(2);
    },
  },
);

const MAX_PASSES = 12;

/** One worker's passes over one target, with the operators' turns between them, until nothing changes or it died. */
async function runFaulty(scenario: Scenario, faults: CallFaults): Promise<ControlPlaneWorld> {
  const arming = { on: false };
  const unanswered = (method: string) => new IdentityError('Timeout', `${method} was not answered`);
  const control = await controlPlaneWorld({
    wrapIdentity: (provider) => {
      const faulty = faults.wrap(provider, 'identity', unanswered);
      return new Proxy(provider, {
        get: (_, property) => {
          const port = arming.on ? faulty : provider;
          const value: unknown = Reflect.get(port, property);
          return typeof value === 'function' ? value.bind(port) : value;
        },
      });
    },
  });
  const { world } = control;
  const { type, object } = await scenario.prepare(control);
  const infrastructure = (method: string) => new InfrastructureError(`${method} was not answered`);
  const faulty = world.worker('faulty', {
    store: faults.wrap(world.memory, 'store', infrastructure),
    wakes: faults.wrap(world.wakes, 'wakes', infrastructure),
    clusters: {
      api: () => faults.wrap(world.api, 'api', (method) => new ApiError('Timeout', `${method} was not answered`)),
    },
  });
  arming.on = true;
  for (let pass = 0; pass < MAX_PASSES && !faults.crashed; pass += 1) {
    try {
      await faulty.handle(world.event(type, object, { cause: 'requested' }));
    } catch (error) {
      if (!(error instanceof CrashedError || error instanceof InfrastructureError)) throw error;
    }
    await world.server.idle();
    const played = await playOperators(world.user);
    if (played === 0 && world.reports.at(-1)?.writes === 0 && faults.hit === undefined) break;
  }
  arming.on = false;
  // Whoever takes over: after the dead one's lease, with nothing but what is stored.
  await world.clock.advance(60_000);
  await settle(control);
  // The relay tells of a deletion, or resync finds it.
  if (
    (await find(control, { type, namespace: object.metadata.namespace ?? '', name: object.metadata.name })) ===
    undefined
  ) {
    await world.worker().handle(world.event(type, object, { cause: 'deleted' }));
  }
  return control;
}

for (const scenario of SCENARIOS) {
  describe(`R-1.15 R-1.20 R-3.1 R-3.3 R-3.5 R-5.5 ${scenario.name}, with a fault at every call`, async () => {
    const probe = new CallFaults();
    await scenario.check(await runFaulty(scenario, probe));
    const cases = (['crash-before', 'crash-after', 'lose-answer', 'fail'] as CallFault[]).flatMap((fault) =>
      Array.from({ length: probe.calls }, (_, at) => ({ fault, at })),
    );
    it.each(cases)('$fault at call $at: everything converges, nothing is twice or left over', async ({ fault, at }) => {
      const faults = new CallFaults(at, fault);
      const control = await runFaulty(scenario, faults);
      expect(faults.hit).toBeDefined();
      await scenario.check(control);
      expect(control.world.memory.contents().targets.every(({ lease }) => lease === undefined)).toBe(true);
    });
  });
}
