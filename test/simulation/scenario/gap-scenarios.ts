import { ConfigMaps, Secrets } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { CallMatch, ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import { apiCall, backUp, itemOf, type Scenario, storeCall, writeElsewhere } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const copy = ({ user }: ScenarioRun, name: string, spec: object = {}) =>
  user.put(Copies, { metadata: named(name), spec: { secret: 's0', size: 1, counts: false, ...spec } });
const secret = ({ user }: ScenarioRun, name: string, value: number) =>
  user.put(Secrets, { metadata: named(name), data: { value: Buffer.from(String(value)).toString('base64') } });

const sends: CallMatch = ({ process, method }) => process.name.startsWith('relay') && method === 'send';

/** Something happens while no relay runs, and the history before it is compacted. */
async function unwatched({ simulation }: ScenarioRun, happens: () => Promise<unknown>): Promise<void> {
  simulation.process('relay-1')?.crash();
  await happens();
  simulation.compact();
}

/** Histories in which a watch does not show a change, or a pass has not seen the present state of the cluster. */
export const GAP_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an object goes while nobody watches, and others list its kind': {
    workload: 'copies',
    async play(run) {
      await secret(run, 's0', 1);
      await secret(run, 's1', 1);
      await copy(run, 'w0');
      await copy(run, 'w1', { secret: 's1', counts: true });
      await run.rest();
      await unwatched(run, () => run.user.remove(Secrets, named('s0')));
    },
  },
  'a relay dies before it has sent what a list showed': {
    workload: 'copies',
    async play(run) {
      await secret(run, 's0', 1);
      await copy(run, 'w0');
      await run.rest();
      const told = run.next(sends, { type: 'crash-before' });
      await unwatched(run, () => secret(run, 's0', 2));
      await told;
    },
  },
  'the kind of a target is not served when its pass looks for it': {
    workload: 'copies',
    async play(run) {
      await copy(run, 'w0');
      await run.rest();
      const error = new ApiError('KindMissing', 'the server could not find the requested resource');
      const looked = run.next(apiCall('get', Copies, 'w0'), { type: 'fail', error });
      await copy(run, 'w0', { size: 2 });
      await looked;
    },
  },
  'a restore is told to a pass that is about to commit': {
    workload: 'copies',
    restores: true,
    plan: { rates: { reroute: 1 } },
    async play(run) {
      // Otherwise the absent object would start a pass of its readers again, with any recorded version.
      await secret(run, 's0', 1);
      await copy(run, 'w0');
      await run.rest();
      const backup = await backUp(run);
      const commit = run.hold(storeCall('commit'));
      await secret(run, 's0', 2);
      await commit.reached;
      await run.restore(backup);
      await run.until('a mark', () => (itemOf(run, 'w0')?.dirty.length ?? 0) > 0);
      await run.sleep(5_000);
      commit.release();
    },
  },
  'the first pass after a restore fails, and other messages wait': {
    workload: 'copies',
    restores: true,
    async play(run) {
      await secret(run, 's0', 1);
      await copy(run, 'w0');
      await run.rest();
      const backup = await backUp(run);
      await writeElsewhere(run, 60);
      await secret(run, 's0', 2);
      await run.rest();
      const error = new ApiError('ServerError', 'not now');
      const failed = run.next(apiCall('get', Copies, 'w0'), { type: 'fail', error });
      const commit = run.holdOne(storeCall('commit'));
      await run.restore(backup);
      await failed;
      await commit.reached;
      // Lower than the version that the last pass before the restore saw.
      await secret(run, 's0', 3);
      await run.sleep(5_000);
      commit.release();
    },
  },
  'a cluster is paused for a while': {
    workload: 'copies',
    async play(run) {
      const { store } = run.simulation;
      await copy(run, 'w0');
      await run.rest();
      // The relay of a paused cluster sends nothing, so this message must exist before.
      const acquire = run.holdOne(storeCall('acquire'));
      await copy(run, 'w0', { size: 2 });
      await acquire.reached;
      await store.setPaused(TEST_CLUSTER, true);
      // A worker uses its last read of a cluster for ten seconds.
      await run.sleep(12_000);
      acquire.release();
      await run.until('a pass that is put off', () => itemOf(run, 'w0')?.lastOutcome?.type === 'clusterPaused');
      await run.sleep(90_000);
      await store.setPaused(TEST_CLUSTER, false);
    },
  },
  'the table takes the edge of a pass after a later one has written it again': {
    workload: 'copies',
    async play(run) {
      await copy(run, 'w0', { secret: 's1' });
      await run.rest();
      const isEdge: CallMatch = ({ args }) => (args[0] as { key?: string }).key?.endsWith('/s0') === true;
      const first = run.holdOne((call) => storeCall('putEdge')(call) && isEdge(call));
      await copy(run, 'w0');
      await first.reached;
      // The time limit ends this pass, and the next one writes the edge.
      await usesSecret(run, 's0');
      const deletion = run.holdOne((call) => storeCall('deleteEdge')(call) && isEdge(call));
      await copy(run, 'w0', { secret: 's1' });
      await deletion.reached;
      await copy(run, 'w0');
      await usesSecret(run, 's0');
      first.release();
      await run.sleep(1_000);
      deletion.release();
      await run.rest();
      await secret(run, 's0', 1);
    },
  },
  'a pass commits other edges while an acquire is under way': {
    workload: 'copies',
    // A message arrives while another one of its target is handled only through the other queue.
    plan: { rates: { reroute: 0.5 } },
    async play(run) {
      await copy(run, 'w0', { secret: 's1' });
      await run.rest();
      // A version that a pass saw never covers a deletion.
      const acquire = run.holdOne(storeCall('acquire'));
      await run.user.remove(ConfigMaps, named('first-w0'));
      await acquire.reached;
      for (let size = 2; itemOf(run, 'w0')?.edges.some((key) => key.endsWith('/s0')) !== true; size += 1) {
        await copy(run, 'w0', { size });
        await run.sleep(1_500);
      }
      await run.until('no lease', () => itemOf(run, 'w0')?.lease === undefined);
      await copy(run, 'w0', { secret: 's1' });
      acquire.release();
      await run.rest();
      await secret(run, 's1', 1);
    },
  },
};

/** A committed pass read this Secret. */
async function usesSecret(run: ScenarioRun, name: string): Promise<void> {
  await run.until(`a pass that reads ${name}`, () => {
    const item = itemOf(run, 'w0');
    return item?.lease === undefined && item?.edges.some((key) => key.endsWith(`/${name}`)) === true;
  });
}
