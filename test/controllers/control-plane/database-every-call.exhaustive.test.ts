import { expect } from 'vitest';
import { ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { createDatabase, leftovers, settle, shown } from './control-plane-world.ts';
import { describeEveryCall, type Scenario } from './every-call.suite.ts';

const SCENARIOS: readonly Scenario[] = [
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

for (const scenario of SCENARIOS) describeEveryCall(scenario);
