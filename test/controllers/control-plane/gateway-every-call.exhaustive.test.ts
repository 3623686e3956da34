import { expect } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import {
  type ControlPlaneWorld,
  clientOf,
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
import { describeEveryCall, type Scenario } from './every-call.suite.ts';

async function expectRunning(control: ControlPlaneWorld): Promise<void> {
  const gateway = await control.world.user.get(Gateways, { namespace: 'team-a', name: 'edge' });
  const database = await control.world.user.get(ManagedDatabases, { namespace: 'team-a', name: 'main' });
  expect(shown(gateway).Ready).toBe('True AllSatisfied');
  expect(phaseOf(gateway)).toBe('Running');
  expect(gateway.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
  const { uid } = gateway.metadata;
  const wanted = gatewayObjects(uid, database.metadata.uid);
  for (const object of wanted) expect(await find(control, object), object.type.kind).toBeDefined();
  // Nothing exists twice, and a dead pass leaves nothing behind: only the objects, the database's two and the primaries
  // exist.
  expect((await leftovers(control)).length).toBe(wanted.length + 2 + 2 + 1);
  const secrets = [wanted[1]!, wanted[4]!].map(async (object) => (await find(control, object))?.data);
  const [authority, copy] = await Promise.all(secrets);
  expect(copy).toEqual(authority);
  const client = clientOf(control, uid)!;
  expect([...control.keycloak.realms.get('shop')!.rolesOf(client.id).keys()].sort()).toEqual(['admin', 'viewer']);
  expect(client.protocolMappers.length).toBe(2);
}

const SCENARIOS: readonly Scenario[] = [
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
];

for (const scenario of SCENARIOS) describeEveryCall(scenario);
