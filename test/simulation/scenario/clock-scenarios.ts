import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { SimulatedProcess } from '../../../lib/testing/simulation/process.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { apiCall, type Scenario, storeCall } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });
const HOUR_MS = 3_600_000;

const copy = ({ user }: ScenarioRun, name: string, spec: object = {}) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false, ...spec } });

/** Histories in which clocks are set while something depends on them. */
export const CLOCK_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a worker dies whose clock was an hour ahead': {
    workload: 'copies',
    plan: { workers: 1 },
    clocksAreWrong: true,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      await setClockOfIdleWorker(run, HOUR_MS);
      const died = run.next(apiCall('get', ConfigMaps, 'second-w0'), { type: 'crash-before' });
      await copy(run, 'w0', { size: 2 });
      await died;
    },
  },
  'a pass fails by a clock that is an hour ahead, and is set right': {
    workload: 'copies',
    plan: { workers: 1 },
    clocksAreWrong: true,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      await setClockOfIdleWorker(run, HOUR_MS);
      const error = new ApiError('ServerError', 'not now');
      const failed = run.next(apiCall('get', ConfigMaps, 'second-w0'), { type: 'fail', error });
      await copy(run, 'w0', { size: 2 });
      await failed;
      await setClockOfIdleWorker(run, 0);
    },
  },
  'an acquire that is under way for long meets a lease that began meanwhile': {
    workload: 'copies',
    plan: { workers: 2 },
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      // The event of the pass's own write is already observed, which would be the reason to refuse its acquire.
      await run.sleep(5_000);
      let first: SimulatedProcess | undefined;
      const late = run.hold((call) => {
        if (!storeCall('acquire')(call)) return false;
        first ??= call.process;
        return first === call.process;
      });
      await copy(run, 'w0', { size: 2 });
      await late.reached;
      // The message goes to the other worker, whose pass takes long.
      const other = run.hold(apiCall('get', ConfigMaps, 'second-w0'));
      await other.reached;
      late.release();
      await run.sleep(1_000);
      other.release();
    },
  },
  'a relay dies whose clock was an hour ahead': {
    workload: 'copies',
    plan: { relays: 1 },
    clocksAreWrong: true,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const relay = run.simulation.process('relay-1');
      if (relay === undefined) throw new Error('there is no relay');
      relay.skewMs = HOUR_MS;
      await run.until('a renewal by that clock', async () => {
        const hold = (await run.simulation.store.readCluster(TEST_CLUSTER)).relay;
        return hold !== undefined && hold.untilMs > run.user.nowMs + HOUR_MS / 2;
      });
      relay.crash();
      await copy(run, 'w0', { size: 2 });
    },
  },
};

/** Sets the clock while no pass runs, because the lease of a running pass would end by another clock. */
export async function setClockOfIdleWorker(run: ScenarioRun, skewMs: number): Promise<void> {
  const { simulation } = run;
  await run.until('no lease', () => simulation.store.contents().targets.every(({ lease }) => lease === undefined));
  const worker = simulation.process('worker-1');
  if (worker === undefined) throw new Error('there is no worker');
  worker.skewMs = skewMs;
}
