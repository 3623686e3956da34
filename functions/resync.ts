import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { type Comparisons, compareClusters } from '../lib/deployment/handlers/compare-clusters.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';

/** What is left of the function's time when it stops: to abort what is under way, and to write the metrics. */
const RESERVE_MS = 10_000;

const comparisons: Comparisons = new Map();

/** Every few minutes: compares all clusters with what is known of them, side by side. */
export const resyncHandler = (groups?: ControllerGroups) =>
  lambdaHandler<unknown, void>(async (runtime, _event, { endsMonotonicMs }) => {
    await runtime.clusters.refresh();
    await compareClusters(runtime, comparisons, endsMonotonicMs - RESERVE_MS);
  }, groups);

export const handler = resyncHandler();
