import { Secrets } from '../../../lib/core/resource-type.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { itemOf, type Scenario, storeCall } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const copy = ({ user }: ScenarioRun, name: string) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false } });

/** Histories of changes that many objects read. */
export const ROUND_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a change comes between the reading of a marker and its round': {
    workload: 'copies',
    plan: { fewAreMany: true, workers: 1 },
    async play(run) {
      const { user, simulation } = run;
      const key = { cluster: TEST_CLUSTER, group: 'sim', kind: 'secrets', ...named('s0') };
      const marked = async () => (await simulation.store.readMarker(key))?.version ?? 0;
      await user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      for (const name of ['w0', 'w1', 'w2']) await copy(run, name);
      await run.rest();
      const round = run.hold(storeCall('beginRound'));
      await user.edit(Secrets, named('s0'), { data: { value: 'Mg==' } });
      await round.reached;
      const before = await marked();
      // It has read the change that the round would send, and not the later one.
      await user.edit(Copies, named('w0'), { spec: { size: 2 } });
      await run.until('a reader has seen it', () => itemOf(run, 'w0')?.versions['secrets/default/s0'] === before);
      await user.edit(Secrets, named('s0'), { data: { value: 'Mw==' } });
      await run.until('the later change is recorded', async () => (await marked()) > before);
      round.release();
    },
  },
  'a relay dies soon after a change that many read': {
    workload: 'copies',
    plan: { fewAreMany: true, relays: 1 },
    async play(run) {
      const { user, simulation } = run;
      await user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      for (const name of ['w0', 'w1', 'w2']) await copy(run, name);
      await run.rest();
      const recorded = run.next(storeCall('recordChange'), { type: 'answer' });
      await user.edit(Secrets, named('s0'), { data: { value: 'Mg==' } });
      await recorded;
      // The next change that is sent moves the checkpoint, which is written every five seconds at most.
      await run.sleep(6_000);
      await user.put(Secrets, { metadata: named('s2'), data: { value: 'MQ==' } });
      await run.sleep(3_000);
      simulation.process('relay-1')?.crash();
    },
  },
};
