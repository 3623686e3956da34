import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import type { JsonObject } from '../../../lib/core/kube-object.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { Scenario } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const gateway = ({ user }: ScenarioRun, name: string, spec: JsonObject) =>
  user.put(Gateways, {
    metadata: named(name),
    spec: {
      image: 'registry.example/hypershell/gateway:1',
      databaseRef: { name: 'd0' },
      replicas: 1,
      route: { enabled: false },
      ...spec,
    },
  });

/** Reduces the rights of the account to these, when the action draws them. */
const limitedTo = (rights: string) => ({ pick: () => rights, chance: () => true }) as unknown as User;

/** Histories of Gateways that ask for what another one has, or for what no account may see. */
export const GATEWAY_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'two Gateways ask for one host': {
    workload: 'gateways',
    async play(run) {
      await run.rest();
      const route = { host: 'edge.example.org', enabled: true };
      await gateway(run, 'g0', { route });
      await run.rest();
      await run.sleep(2_000);
      await gateway(run, 'g1', { route });
    },
  },
  'a Gateway is deleted while the account may not see its client': {
    workload: 'gateways',
    async play(run, { actions }) {
      await run.rest();
      await gateway(run, 'g0', { identity: { realm: 'shop', roles: ['admin'] } });
      await run.rest();
      await actions['changes the rights of the account']?.(limitedTo('query-clients'));
      await run.user.remove(Gateways, named('g0'));
      await run.sleep(60_000);
    },
  },
};
