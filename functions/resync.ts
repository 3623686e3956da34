import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { type Comparisons, compareClusters } from '../lib/deployment/handlers/compare-clusters.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';

/** The rest of the function's time when it stops: it aborts running comparisons, and writes the metrics. */
const RESERVE_MS = 10_000;

const comparisons: Comparisons = new Map();

/** Runs every few minutes: compares all clusters with the table, in parallel. */
export const resyncHandler = (groups?: ControllerGroups) =>
  lambdaHandler<unknown, void>(async (runtime, _event, { endsMonotonicMs }) => {
    await runtime.clusters.refresh();
    await compareClusters(runtime, comparisons, endsMonotonicMs - RESERVE_MS);
  }, groups);

export const handler = resyncHandler();
