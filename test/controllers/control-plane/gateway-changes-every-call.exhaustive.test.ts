import { expect } from 'vitest';
import { DatabaseRoles, Databases, Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { playOperators } from '../../support/play-operators.ts';
import {
  clientOf,
  createDatabase,
  find,
  gatewayObjects,
  leftovers,
  passOf,
  runningGateway,
  shown,
} from './control-plane-world.ts';
import { describeEveryCall, type Scenario } from './every-call.suite.ts';

const SCENARIOS: readonly Scenario[] = [
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
      // Nothing of the Gateway is left except the old Cluster, and nothing exists twice.
      expect((await control.user.list(Databases)).items).toHaveLength(1);
      expect((await control.user.list(DatabaseRoles)).items).toHaveLength(1);
      expect((await control.user.list(Secrets)).items).toHaveLength(2);
    },
  },
];

for (const scenario of SCENARIOS) describeEveryCall(scenario);
