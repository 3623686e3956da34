import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import type { Stage } from '../../../lib/testing/simulation/stage.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { apiCall, itemOf, type Scenario, storeCall } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const copy = ({ user }: Stage, name: string) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false } });

/** Histories of changes that many objects read. */
export const ROUND_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a change comes between the reading of a marker and its round': {
    workload: 'copies',
    plan: { fewAreMany: true, workers: 1 },
    async play(stage) {
      const { user, simulation } = stage;
      const key = { cluster: TEST_CLUSTER, group: 'sim', kind: 'secrets', ...named('s0') };
      const marked = async () => (await simulation.store.readMarker(key))?.version ?? 0;
      await user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      for (const name of ['w0', 'w1', 'w2']) await copy(stage, name);
      await stage.rest();
      const round = stage.hold(storeCall('beginRound'));
      await user.edit(Secrets, named('s0'), { data: { value: 'Mg==' } });
      await round.reached;
      const before = await marked();
      // It has read the change that the round would tell, and not the later one.
      await user.edit(Copies, named('w0'), { spec: { size: 2 } });
      await stage.until('a reader has seen it', () => itemOf(stage, 'w0')?.versions['secrets/default/s0'] === before);
      await user.edit(Secrets, named('s0'), { data: { value: 'Mw==' } });
      await stage.until('the later change is recorded', async () => (await marked()) > before);
      round.release();
    },
  },
  'an object that many read is edited faster than they can be reconciled': {
    workload: 'crowds',
    plan: { fewAreMany: true, workers: 1 },
    async play(stage) {
      const shared = named('shared');
      await stage.rest();
      const isSlow = stage.each(apiCall('get', ConfigMaps, shared.name), { type: 'delay', ms: 15_000 });
      for (let value = 1; value <= 40; value += 1) {
        await stage.user.edit(ConfigMaps, shared, { data: { value: String(value) } });
        await stage.sleep(4_000);
      }
      isSlow();
    },
  },
};
