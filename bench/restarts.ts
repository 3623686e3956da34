import type { ClusterApi } from '../lib/ports/cluster-api.ts';
import { editContract, restoreSecrets, type StatusWatch, takeSecretsAway } from './contracts.ts';
import type { Spawned } from './spawned.ts';

export interface RestartPlan {
  readonly contracts: number;
  readonly stormSeconds: number;
  readonly editsPerSecond: number;
}

/** A controller that can be ended and started again, with the state that it keeps. */
export interface Restartable {
  running: Spawned;
  restart(): Promise<Spawned>;
}

const DELETED = 50;

/**
 * Kills a controller in the middle of many edits a second, and starts it again at once. Resolves with the milliseconds
 * from the start of the new process until every edit before it has its status.
 */
export async function crashInStorm(
  plan: RestartPlan,
  controller: Restartable,
  api: ClusterApi,
  watch: StatusWatch,
): Promise<number> {
  const waiting = new Set<Promise<void>>();
  const stop = new AbortController();
  const edits = editSteadily(plan, api, watch, waiting, stop.signal);
  await new Promise((resolve) => setTimeout(resolve, plan.stormSeconds * 500));
  await controller.running.stop('SIGKILL');
  const started = performance.now();
  const restarted = controller.restart();
  const before = [...waiting];
  await Promise.all([restarted, ...before]);
  const coveredMs = performance.now() - started;
  stop.abort();
  await edits;
  await Promise.all(waiting);
  return coveredMs;
}

/** Keeps the edits without a status in `waiting`. Ends with the signal, or after the plan's seconds. */
async function editSteadily(
  { contracts, stormSeconds, editsPerSecond }: RestartPlan,
  api: ClusterApi,
  watch: StatusWatch,
  waiting: Set<Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  for (let edit = 0; edit < stormSeconds * editsPerSecond && !signal.aborted; edit += 1) {
    const waitMs = started + (edit / editsPerSecond) * 1_000 - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const index = (edit * 61) % contracts;
    const published = (async () => {
      const generation = await editContract(api, index, 20_000 + edit);
      await watch.until(() => watch.isPublished(index, generation));
    })();
    waiting.add(published);
    void published.finally(() => waiting.delete(published));
  }
}

/**
 * Deletes Secrets while a controller is down. Resolves with the milliseconds from its start until their contracts say
 * so. The Secrets are there again afterwards.
 */
export async function deletedWhileDown(
  { contracts }: RestartPlan,
  controller: Restartable,
  api: ClusterApi,
  watch: StatusWatch,
): Promise<number> {
  await controller.running.stop();
  const count = Math.min(DELETED, contracts);
  await takeSecretsAway(api, count);
  const started = performance.now();
  await controller.restart();
  await watch.until(() => watch.rightCount === contracts - count);
  const shownMs = performance.now() - started;
  await restoreSecrets(api, count);
  await watch.until(() => watch.rightCount === contracts);
  return shownMs;
}
