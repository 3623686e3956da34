import { ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { ConfigMaps, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { SimulatedProcess } from '../../../lib/testing/simulation/process.ts';
import type { CallMatch, ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { Sessions } from '../workload/sessions.ts';
import { Timers } from '../workload/timers.ts';
import { apiCall, backUp, itemOf, type Scenario, storeCall } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const copy = ({ user }: ScenarioRun, name: string, spec: object = {}) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false, ...spec } });

/** A session at rest whose permission is polled. */
async function permittedSession(run: ScenarioRun): Promise<void> {
  await run.user.put(ConfigMaps, { metadata: named('p0'), data: { allow: 'yes' } });
  await run.user.put(Sessions, { metadata: named('n0'), spec: { permit: 'p0' } });
  await run.rest();
}

/** Histories of what happens late in a pass, and between two batches of a watch. */
export const LATE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a change meets a pass that has no time to run again': {
    workload: 'copies',
    // A message arrives while another one of its target is handled only through the other queue.
    plan: { workers: 1, rates: { reroute: 0.5 } },
    async play(run) {
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await copy(run, 'w0');
      await run.rest();
      // A pass starts no other attempt in the two seconds before its limit.
      const reading = run.next(apiCall('get', ConfigMaps, 'second-w0'), { type: 'delay', ms: 19_000 });
      await run.user.edit(Copies, named('w0'), { metadata: { labels: { looked: 'at' } } });
      await reading;
      for (let value = 2; (itemOf(run, 'w0')?.dirty.length ?? 0) === 0; value += 1) {
        await run.user.edit(Secrets, named('s0'), { data: { value: Buffer.from(String(value)).toString('base64') } });
        await run.sleep(1_000);
      }
    },
  },
  'a lease is granted late, and its holder is paused': {
    workload: 'copies',
    plan: { workers: 1 },
    // In most of these runs the time limit ends the pass before the answer arrives that it waits for.
    plays: 30,
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const granted = run.next(storeCall('acquire'), { type: 'delay', ms: 10_000 });
      const reading = run.next(apiCall('get', ConfigMaps, 'second-w0'), { type: 'pause-after', ms: 18_000 });
      await copy(run, 'w0', { size: 2 });
      await granted;
      await reading;
    },
  },
  'a cluster answers again, and one change concerns many': {
    workload: 'copies',
    plan: { workers: 1 },
    async play(run) {
      const { simulation } = run;
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      for (const name of ['w0', 'w1', 'w2']) await copy(run, name);
      await run.rest();
      const error = new ApiError('Unreachable', 'no answer');
      const works = run.each(({ port, scope }) => port === 'api' && scope !== undefined, { type: 'fail', error });
      const isOpen = async () => (await simulation.store.readCluster(TEST_CLUSTER)).breakerOpenUntilMs !== undefined;
      for (let size = 2; !(await isOpen()); size += 1) {
        for (const name of ['w0', 'w1', 'w2']) await copy(run, name, { size });
        await run.sleep(5_000);
      }
      works();
      await run.rest();
      run.beginSteadyState();
      await run.sleep(3 * 60_000);
      // The first change gives a pass an answer of the cluster; after that the cluster may put off no pass.
      for (const value of ['Mg==', 'Mw==']) {
        await run.user.edit(Secrets, named('s0'), { data: { value } });
        await run.rest();
      }
    },
  },
  'a target is changed again and again while its pass runs': {
    workload: 'copies',
    plan: { workers: 1, tightRateLimit: true, rates: { reroute: 0.5 } },
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const slow = run.each(apiCall('get', ConfigMaps, 'second-w0'), { type: 'delay', ms: 900 });
      for (let size = 2; size < 40; size += 1) {
        await copy(run, 'w0', { size });
        await run.sleep(500);
      }
      slow();
    },
  },
  'a foreign change comes in one batch of the watch with own writes': {
    workload: 'copies',
    plan: { workers: 1 },
    async play(run) {
      const { user } = run;
      for (const name of ['w0', 'w1']) await copy(run, name);
      await run.rest();
      // Later messages collect while this one is handled.
      const before = run.hold(({ process, method }) => process.name.startsWith('relay') && method === 'readers');
      await user.edit(ConfigMaps, named('second-w1'), { metadata: { labels: { edited: '1' } } });
      await before.reached;
      const reading = run.hold(apiCall('get', ConfigMaps, 'first-w0'));
      await copy(run, 'w0', { size: 2 });
      await reading.reached;
      await user.edit(ConfigMaps, named('second-w0'), { data: { size: 'edited' } });
      reading.release();
      await run.until('the commit', () => itemOf(run, 'w0')?.lease === undefined);
      await run.sleep(200);
      before.release();
    },
  },
  'the cluster goes back by one raise of the counter, and passes its old version before it is looked at': {
    workload: 'copies',
    restores: true,
    async play(run) {
      const { simulation, user } = run;
      // Otherwise the absent object would start a pass of its readers again, with any recorded version.
      await user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await copy(run, 'w0');
      await run.rest();
      const backup = await backUp(run);
      await copy(run, 'w0', { size: 2 });
      await run.rest();
      const { revision } = simulation.server.snapshot();
      simulation.restore(backup);
      while (simulation.server.snapshot().revision <= revision + 5)
        await user.put(Namespaces, { metadata: { name: 'other', labels: { at: String(user.number(1e9)) } } });
    },
  },
  'the readers of what changed cannot be looked up': {
    workload: 'copies',
    plan: { workers: 1 },
    async play(run) {
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await copy(run, 'w0');
      await run.rest();
      const error = new InfrastructureError('the table did not answer');
      const query = run.next(({ process, method }) => process.name.startsWith('relay') && method === 'readers', {
        type: 'fail',
        error,
      });
      await run.user.edit(Secrets, named('s0'), { data: { value: 'Mg==' } });
      await query;
    },
  },
  'a poll dies before it has told the readers': {
    workload: 'sessions',
    plan: { workers: 1 },
    async play(run) {
      const { user } = run;
      await permittedSession(run);
      const told = run.next(
        ({ process, method, args }) => {
          if (!process.name.startsWith('worker') || method !== 'send') return false;
          const [first] = args as [readonly { body: string }[]];
          return first.some(({ body }) => body.includes('"cause":"dependency"'));
        },
        { type: 'crash-before' },
      );
      await user.put(ConfigMaps, { metadata: named('p0'), data: { allow: 'no' } });
      await told;
    },
  },
  'a poll dies between its next deadline and the wake of that': {
    workload: 'sessions',
    plan: { workers: 1 },
    async play(run) {
      const { user } = run;
      await permittedSession(run);
      await run.next(storeCall('savePoll'), { type: 'crash-after' });
      await user.put(ConfigMaps, { metadata: named('p0'), data: { allow: 'no' } });
    },
  },
  'a pass asks for a poll while it is under way': {
    workload: 'sessions',
    plan: { workers: 1 },
    async play(run) {
      const { user } = run;
      await permittedSession(run);
      run.beginSteadyState();
      const saving = run.hold(storeCall('savePoll'));
      await saving.reached;
      await user.put(Sessions, { metadata: named('n1'), spec: { permit: 'p0' } });
      await run.until('the commit', () => {
        const item = itemOf(run, 'n1');
        return item?.lastOutcome !== undefined && item.lease === undefined;
      });
      saving.release();
      await run.sleep(9 * 60_000);
    },
  },
  'a relay dies between a batch that it sent and one that it held back': {
    workload: 'copies',
    plan: { workers: 1, relays: 1 },
    async play(run) {
      await run.user.put(Secrets, { metadata: named('s0'), data: { value: 'MQ==' } });
      await run.user.put(Secrets, { metadata: named('s1'), data: { value: 'MQ==' } });
      await copy(run, 'w0');
      await copy(run, 'w1', { secret: 's1' });
      await run.rest();
      await run.sleep(6_000);
      // Its pass is running, and has read the Secret.
      const pass = run.hold(apiCall('get', ConfigMaps, 'second-w0'));
      await run.user.edit(Copies, named('w0'), { metadata: { labels: { looked: 'at' } } });
      await pass.reached;
      await run.sleep(6_000);
      // The event about it is held back for a moment, in which it is neither sent nor lost.
      let held = 0;
      const isOfHeldBack = ({
        process,
        method,
        args,
      }: {
        process: { name: string };
        method: string;
        args: readonly unknown[];
      }) => {
        if (!process.name.startsWith('relay') || method !== 'readTargets') return false;
        const [targets] = args as [readonly { name: string }[]];
        if (!targets.some(({ name }) => name === 'w0')) return false;
        held += 1;
        return held === 2;
      };
      const looking = run.hold(isOfHeldBack);
      await run.user.edit(Secrets, named('s0'), { data: { value: 'Mg==' } });
      await looking.reached;
      const checkpoint = run.next(
        ({ process, method }) => process.name.startsWith('relay') && method === 'saveCheckpoint',
        { type: 'crash-after' },
      );
      await run.user.edit(Secrets, named('s1'), { data: { value: 'Mg==' } });
      await Promise.race([checkpoint, run.sleep(10_000)]);
      looking.release();
      pass.release();
    },
  },
  'an owner goes without its namespace, whose pass marks it': {
    workload: 'gateways',
    async play(run) {
      const { user } = run;
      await run.rest();
      // Later messages collect while this one is handled. Without this, another event would start the pass that must
      // not come.
      const before = run.hold(({ process, method }) => process.name.startsWith('relay') && method === 'readers');
      await user.edit(ManagedDatabases, named('d1'), { metadata: { labels: { edited: '1' } } });
      await before.reached;
      await user.remove(ManagedDatabases, named('d0'));
      await user.forceFinalizers(ManagedDatabases, named('d0'));
      await run.sleep(200);
      before.release();
    },
  },
  'a worker is frozen until another one has forgotten the target, and dies when it goes on': {
    workload: 'timers',
    plan: { workers: 2 },
    async play(run) {
      const { user } = run;
      await user.put(Timers, { metadata: named('c0'), spec: { atMs: user.nowMs - 60_000 } });
      await run.rest();
      let frozen: SimulatedProcess | undefined;
      const acquires = storeCall('acquire');
      const freezes: CallMatch = (call) => {
        if (acquires(call)) frozen ??= call.process;
        return acquires(call);
      };
      const freezing = run.next(freezes, { type: 'pause-before', ms: 90_000 });
      await user.remove(Timers, named('c0'));
      await freezing;
      // Its acquire is too late, and is refused. Everything that it does later is after the end of its lease.
      await run.until('the other worker', () => itemOf(run, 'c0') === undefined);
      const end = run.each((call) => acquires(call) && call.process === frozen, { type: 'crash-after' });
      await run.sleep(60_000);
      end();
    },
  },
};
