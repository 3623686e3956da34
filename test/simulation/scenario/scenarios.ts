import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { Sessions } from '../workload/sessions.ts';
import { Timers } from '../workload/timers.ts';
import { Troubles } from '../workload/troubles.ts';
import { ADDRESS_SCENARIOS } from './address-scenarios.ts';
import { CLOCK_SCENARIOS, setClockOfIdleWorker } from './clock-scenarios.ts';
import { GAP_SCENARIOS } from './gap-scenarios.ts';
import { GATEWAY_SCENARIOS } from './gateway-scenarios.ts';
import { LATE_SCENARIOS } from './late-scenarios.ts';
import { PACE_SCENARIOS } from './pace-scenarios.ts';
import { ROUND_SCENARIOS } from './round-scenarios.ts';
import { apiCall, backUp, itemOf, type Scenario, storeCall, writeElsewhere } from './scenario.ts';
import { TABLE_SCENARIOS } from './table-scenarios.ts';

const named = (name: string) => ({ namespace: 'default', name });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const copy = ({ user }: ScenarioRun, name: string, spec: object = {}) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false, ...spec } });
const session = ({ user }: ScenarioRun, name: string, permit: string) =>
  user.put(Sessions, { metadata: named(name), spec: { permit } });
const permit = ({ user }: ScenarioRun, name: string, allow: 'yes' | 'no') =>
  user.put(ConfigMaps, { metadata: named(name), data: { allow } });

/** By the name in the planted faults. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an object appears between a list that lacks it and its reading by name': {
    workload: 'copies',
    async play(run) {
      await copy(run, 'w0', { counts: true });
      await run.rest();
      const reading = run.hold(apiCall('get', Secrets, 's0'));
      await copy(run, 'w0', { counts: true, size: 2 });
      await reading.reached;
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      reading.release();
    },
  },
  'after a restore an object comes to a version that it had before': {
    workload: 'copies',
    restores: true,
    async play(run) {
      const { simulation } = run;
      await copy(run, 'w0');
      await run.rest();
      const backup = await backUp(run);
      await writeElsewhere(run, 60);
      await copy(run, 'w0', { size: 2 });
      const version = simulation.server.snapshot().revision;
      await run.rest();
      await run.restore(backup);
      // All kinds are listed again, and watched, within the five minutes in which ids are remembered.
      await run.sleep(20_000);
      while (simulation.server.snapshot().revision < version - 1) await writeElsewhere(run, 1);
      await copy(run, 'w0', { size: 3 });
      if (simulation.server.snapshot().revision !== version) throw new Error('it came to another version');
    },
  },
  'a restore is noticed while a pass is about to commit': {
    workload: 'copies',
    restores: true,
    async play(run) {
      // Otherwise the absent object would start a pass of its readers again, with any recorded version.
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await copy(run, 'w0');
      await run.rest();
      const backup = await backUp(run);
      await run.user.edit(Copies, named('w0'), { metadata: { annotations: { looked: 'at' } } });
      await run.next(apiCall('get', ConfigMaps, 'first-w0'), { type: 'delay', ms: 8_000 });
      await run.sleep(200);
      const wakeups = run.hold(({ process, method }) => process.name.startsWith('relay') && method === 'send');
      await run.restore(backup);
      await wakeups.reached;
      await run.until('the commit', () => itemOf(run, 'w0')?.lease === undefined);
      wakeups.release();
    },
  },
  'what is forgotten comes back by a restore': {
    workload: 'timers',
    restores: true,
    async play(run) {
      const { user } = run;
      await user.put(Timers, { metadata: named('c0'), spec: { atMs: user.nowMs - 60_000 } });
      await run.rest();
      const backup = await backUp(run);
      const forgetting = run.hold(storeCall('forget'));
      await user.remove(Timers, named('c0'));
      await forgetting.reached;
      await run.restore(backup);
      await run.until('a mark', () => (itemOf(run, 'c0')?.dirty.length ?? 0) > 0);
      await run.sleep(5_000);
      forgetting.release();
    },
  },
  'a poll finds no reader just before one comes': {
    workload: 'sessions',
    async play(run) {
      await permit(run, 'p0', 'yes');
      await session(run, 'n0', 'p0');
      await run.rest();
      await session(run, 'n0', 'p1');
      await run.rest();
      const deletion = run.hold(storeCall('deletePoll'));
      await run.user.edit(ConfigMaps, named('p0'), { metadata: { annotations: { looked: 'at' } } });
      await deletion.reached;
      await session(run, 'n1', 'p0');
      await run.until('the commit', () => {
        const item = itemOf(run, 'n1');
        return item?.lastOutcome !== undefined && item.lease === undefined;
      });
      deletion.release();
      await run.rest();
      await permit(run, 'p0', 'no');
    },
  },
  'a polled object goes, comes back, and goes again': {
    workload: 'sessions',
    async play(run) {
      await permit(run, 'p0', 'yes');
      await session(run, 'n0', 'p0');
      await run.rest();
      await run.user.remove(ConfigMaps, named('p0'));
      await run.rest();
      await permit(run, 'p0', 'yes');
      await run.rest();
      await run.user.remove(ConfigMaps, named('p0'));
    },
  },
  'an edge that a slow pass no longer used is used again': {
    workload: 'copies',
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const deletion = run.hold(storeCall('deleteEdge'));
      await copy(run, 'w0', { secret: 's1' });
      await deletion.reached;
      await copy(run, 'w0', { secret: 's0' });
      await run.until('the next commit', () => {
        const item = itemOf(run, 'w0');
        return item?.lease === undefined && item?.edges.some((key) => key.endsWith('/s0')) === true;
      });
      deletion.release();
      await run.rest();
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
    },
  },
  'the breaker opens by a clock that is set back': {
    workload: 'copies',
    plan: { workers: 1 },
    clocksAreWrong: true,
    async play(run) {
      const { simulation } = run;
      for (const name of ['w0', 'w1', 'w2']) await copy(run, name);
      await run.rest();
      await setClockOfIdleWorker(run, HOUR_MS);
      const error = new ApiError('Unreachable', 'no answer');
      const works = run.each(({ port, scope }) => port === 'api' && scope !== undefined, { type: 'fail', error });
      for (
        let round = 2;
        (await simulation.store.readCluster(TEST_CLUSTER)).breakerOpenUntilMs === undefined;
        round += 1
      ) {
        for (const name of ['w0', 'w1', 'w2']) await copy(run, name, { size: round });
        await run.sleep(5_000);
      }
      works();
      await setClockOfIdleWorker(run, 0);
      // The worker itself measures the time with its monotonic clock, so only a worker that reads the table sees the
      // wrong time.
      simulation.process('worker-1')?.crash();
      for (const name of ['w0', 'w1', 'w2']) await copy(run, name, { size: 1 });
    },
  },
  'the rate limit is reached by a clock that is set back': {
    workload: 'copies',
    plan: { workers: 1, tightRateLimit: true },
    clocksAreWrong: true,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      await setClockOfIdleWorker(run, HOUR_MS);
      for (let size = 2; itemOf(run, 'w0')?.lastOutcome?.type !== 'rateLimited'; size += 1) {
        await copy(run, 'w0', { size });
        await run.sleep(1_000);
      }
      await setClockOfIdleWorker(run, 0);
      await copy(run, 'w0', { size: 1 });
    },
  },
  'a target hangs, and another one comes in the same batch': {
    workload: 'troubles',
    plan: { workers: 1 },
    async play(run) {
      const { user } = run;
      // Before the relay's first list, which sends both together.
      await user.put(Troubles, { metadata: named('x0'), spec: { mode: 'hangs' } });
      await user.put(Troubles, { metadata: named('x1'), spec: { mode: 'ok' } });
      await run.sleep(60_000);
      await user.remove(Troubles, named('x0'));
    },
  },
  'a deadline lies further ahead than a message can wait': {
    workload: 'timers',
    async play(run) {
      const { user } = run;
      const startedAtMs = user.nowMs;
      run.beginSteadyState();
      // For any schedule of the sweeps, the next one would be too late for one of these.
      for (const [index, name] of ['c0', 'c1', 'c2'].entries()) {
        const atMs = startedAtMs + 17 * MINUTE_MS + index * 20_000;
        await user.put(Timers, { metadata: named(name), spec: { atMs } });
      }
      await run.sleep(19 * MINUTE_MS);
    },
  },
  'a wake comes while a pass is under way that keeps the deadline': {
    workload: 'timers',
    async play(run) {
      const { user } = run;
      const atMs = user.nowMs + 3 * MINUTE_MS + 15_000;
      await user.put(Timers, { metadata: named('c0'), spec: { atMs } });
      await run.rest();
      run.beginSteadyState();
      await run.sleep(atMs - 5_000 - user.nowMs);
      const commit = run.hold(storeCall('commit'));
      await user.edit(Timers, named('c0'), { metadata: { labels: { mark: '1' } } });
      const woken = run.next(({ port, method }) => port === 'wakes' && method === 'delete', { type: 'answer' });
      await commit.reached;
      await woken;
      commit.release();
      await run.sleep(2 * MINUTE_MS);
    },
  },
  'passes of a target that is innocent end without a commit': {
    workload: 'copies',
    async play(run) {
      // After the pass has read its target: nobody knows of a pass that crashes before that.
      const end = run.each(apiCall('get', ConfigMaps, 'second-w0'), { type: 'crash-before' });
      await copy(run, 'w0');
      await run.until('the pass to be put off', () => itemOf(run, 'w0')?.lastOutcome?.type === 'crashing');
      end();
    },
  },
  'little is left of the lease of a pass whose worker was frozen': {
    workload: 'copies',
    plan: { workers: 1 },
    // In most of these runs the time limit ends the pass before the answer arrives that it waits for.
    plays: 30,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const reading = run.next(apiCall('get', ConfigMaps, 'second-w0'), { type: 'pause-after', ms: 26_000 });
      await copy(run, 'w0', { size: 2 });
      await reading;
    },
  },
  'a target vanishes in a restore, and resync looks for it': {
    workload: 'timers',
    restores: true,
    plan: { resync: true },
    async play(run) {
      const { user } = run;
      const backup = await backUp(run);
      await writeElsewhere(run, 200);
      await user.put(Timers, { metadata: named('c0'), spec: { atMs: user.nowMs - MINUTE_MS } });
      await run.rest();
      await run.restore(backup);
      await run.sleep(5 * MINUTE_MS);
    },
  },
  'the cluster goes back to a backup younger than the last raise of the counter': {
    workload: 'copies',
    restores: true,
    async play(run) {
      const { simulation } = run;
      // Otherwise the absent object would start a pass of its readers again, with any recorded version.
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await run.until('a counter in the cluster', () => run.restoreCounter > 0);
      await copy(run, 'w0');
      await run.rest();
      const backup = simulation.server.snapshot();
      await copy(run, 'w0', { size: 2 });
      await run.rest();
      simulation.restore(backup);
    },
  },
  ...CLOCK_SCENARIOS,
  ...LATE_SCENARIOS,
  ...ADDRESS_SCENARIOS,
  ...ROUND_SCENARIOS,
  ...TABLE_SCENARIOS,
  ...GAP_SCENARIOS,
  ...PACE_SCENARIOS,
  ...GATEWAY_SCENARIOS,
};
