import { InfrastructureError } from '../../../lib/core/errors.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { SELECTIONS } from '../../../lib/testing/simulation/bounds.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { Copies } from '../workload/copies.ts';
import { Timers } from '../workload/timers.ts';
import type { Scenario } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });
const copy = ({ user }: ScenarioRun, name: string, spec: object = {}) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false, ...spec } });

const [SELECTION] = SELECTIONS;
if (SELECTION === undefined) throw new Error('an installation can be limited in no way');
const { selector, outside } = SELECTION;

/** Histories about when passes run, and when they must not. */
export const PACE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a target is edited faster than its rate limit allows': {
    workload: 'copies',
    plan: { tightRateLimit: true },
    async play(run) {
      await copy(run, 'w0');
      for (let size = 2; size < 200; size += 1) {
        await copy(run, 'w0', { size });
        await run.sleep(300);
      }
    },
  },
  'a wake comes early by the clock of the worker that gets it': {
    workload: 'timers',
    plan: { workers: 2 },
    async play(run) {
      const { simulation, user } = run;
      // The largest difference of two clocks.
      for (const [role, skewMs] of [
        ['worker-1', 1_900],
        ['worker-2', -1_900],
      ] as const) {
        const process = simulation.process(role);
        if (process === undefined) throw new Error(`there is no ${role}`);
        process.skewMs = skewMs;
      }
      run.beginSteadyState();
      for (let round = 0; round < 8; round += 1) {
        for (const name of ['c0', 'c1', 'c2']) {
          await user.put(Timers, { metadata: named(name), spec: { atMs: user.nowMs + 20_000 } });
        }
        await run.sleep(90_000);
      }
    },
  },
  'nobody takes a message that cannot be read': {
    workload: 'copies',
    async play(run) {
      const { queues } = run.simulation;
      const error = new InfrastructureError('the dead-letter queue did not answer');
      const buried = run.next(({ method }) => method === 'sendDead', { type: 'fail', error });
      await queues.sim?.events.send([{ body: '{"v":99}', messageGroupId: 'nobody', deduplicationId: 'unreadable' }]);
      await buried;
    },
  },
  'a target is left out, and then deleted': {
    workload: 'copies',
    plan: { scope: { labelSelector: selector } },
    async play(run) {
      const { user } = run;
      await copy(run, 'w0');
      await run.rest();
      await user.edit(Copies, named('w0'), { metadata: { labels: outside } });
      await run.sleep(10_000);
      await user.remove(Copies, named('w0'));
      // No event about the target itself is sent: an owned object starts the pass.
      await user.edit(ConfigMaps, named('first-w0'), { data: { size: 'edited' } });
      await run.sleep(60_000);
    },
  },
};
