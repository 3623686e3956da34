import type { ClusterApi } from '../lib/ports/cluster-api.ts';
import { editContract, type StatusWatch } from './contracts.ts';
import { type Spread, spread } from './statistics.ts';

export interface EditPlan {
  readonly contracts: number;
  readonly singleEdits: number;
  readonly stormSeconds: number;
  readonly stormEditsPerSecond: number;
}

/** The milliseconds from an edit until a watch shows its status, one edit after the other. */
export async function editOneByOne(
  plan: Pick<EditPlan, 'contracts' | 'singleEdits'>,
  api: ClusterApi,
  watch: StatusWatch,
): Promise<Spread> {
  const latencies: number[] = [];
  for (let edit = 0; edit < plan.singleEdits; edit += 1) {
    const index = (edit * 37) % plan.contracts;
    const started = performance.now();
    const generation = await editContract(api, index, edit + 1);
    await watch.until(() => watch.isPublished(index, generation));
    latencies.push(performance.now() - started);
  }
  return spread(latencies);
}

/** The same during many edits a second. */
export async function storm(plan: EditPlan, api: ClusterApi, watch: StatusWatch): Promise<Spread> {
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  const count = plan.stormSeconds * plan.stormEditsPerSecond;
  const started = performance.now();
  for (let edit = 0; edit < count; edit += 1) {
    const dueMs = started + (edit / plan.stormEditsPerSecond) * 1_000;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const index = (edit * 61) % plan.contracts;
    const begun = performance.now();
    running.push(
      (async () => {
        const generation = await editContract(api, index, 1_000 + edit);
        await watch.until(() => watch.isPublished(index, generation));
        latencies.push(performance.now() - begun);
      })(),
    );
  }
  await Promise.all(running);
  return spread(latencies);
}
