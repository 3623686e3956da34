import { Secrets } from '../../../lib/core/resource-type.ts';
import type { ScenarioRun } from '../../../lib/testing/simulation/scenario-run.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { Copies } from '../workload/copies.ts';
import type { Scenario } from './scenario.ts';

const named = (name: string) => ({ namespace: 'default', name });

const copy = ({ user }: ScenarioRun, name: string, secret: string) =>
  user.put(Copies, { metadata: named(name), spec: { secret, size: 1, counts: false } });

const setSecret = ({ user }: ScenarioRun, name: string, data: string) =>
  user.put(Secrets, { metadata: named(name), data: { value: data } });

/** Time for some raises of the relay's counter, each 15 s. */
const SOME_RAISES_MS = 90_000;

/** Remembers the table when its count has reached the cluster. */
async function backUpTable(run: ScenarioRun): Promise<() => void> {
  const { store } = run.simulation;
  await run.until('a counter in the cluster', async () => {
    const { restoreCounter, restoreCounterSeen } = await store.readCluster(TEST_CLUSTER);
    return restoreCounter > 0 && restoreCounterSeen === restoreCounter && run.restoreCounter === restoreCounter;
  });
  return run.simulation.backUpTable();
}

/**
 * Replaces the table by an older one. It does not contain the copy `w1` and the Secret that it reads: a change of that
 * Secret starts no pass, unless a new incarnation has listed everything.
 * @param between runs before the replacement.
 */
async function putOlderTable(run: ScenarioRun, between: (run: ScenarioRun) => Promise<void>): Promise<void> {
  await setSecret(run, 's0', 'MQ==');
  await setSecret(run, 's1', 'MQ==');
  await copy(run, 'w0', 's0');
  await run.rest();
  const putBack = await backUpTable(run);
  const counter = run.restoreCounter;
  await copy(run, 'w1', 's1');
  await run.until('a higher counter in the cluster', () => run.restoreCounter > counter);
  await run.rest();
  await between(run);
  putBack();
  await run.sleep(SOME_RAISES_MS);
  await setSecret(run, 's1', 'Mg==');
}

/** Histories of a table that is replaced by an older one. */
export const TABLE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an older table is put in place under a running fleet': {
    workload: 'copies',
    restores: true,
    play: (run) => putOlderTable(run, async () => {}),
  },
  'a table from before the last incarnation is put in place under a running fleet': {
    workload: 'copies',
    restores: true,
    play: (run) =>
      putOlderTable(run, async ({ simulation }) => {
        await simulation.store.startIncarnation(TEST_CLUSTER, 1);
        await run.sleep(SOME_RAISES_MS);
        await run.rest();
      }),
  },
};
