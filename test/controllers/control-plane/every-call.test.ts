import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
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
  if ((await find(control, { type, namespace: 'team-a', name: object.metadata.name })) === undefined) {
    await world.worker().handle(world.event(type, object, { cause: 'deleted' }));
  }
  return control;
}

for (const scenario of SCENARIOS) {
  describe(`R-1.15 R-1.20 R-3.1 R-3.3 R-5.5 ${scenario.name}, with a fault at every call`, async () => {
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
