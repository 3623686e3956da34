import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';
import { RelaySilence } from '../lib/deployment/handlers/relay-silence.ts';
import type { CloudRuntime } from '../lib/deployment/wiring-cloud.ts';
import { createTimers, type Timers } from '../lib/engine/runtime/timers.ts';

const relaySilence = new RelaySilence();
// Kept as long as the sandbox lives, because they remember what need not be read again.
let timers: Timers | undefined;
let clustersAreListed = true;

/**
 * Runs each minute: sends overdue events, sends the wakes of near timers, and measures how long each relay has been
 * silent.
 */
export const sweepHandler = (groups?: ControllerGroups) =>
  lambdaHandler<unknown, void>(async (runtime) => {
    const { logger, clusters } = runtime;
    clustersAreListed = await clusters.refresh().then(
      () => true,
      (error: unknown) => {
        logger.error('the list of clusters could not be read: all timers are checked, and no relay is', error);
        return false;
      },
    );
    timers ??= timersOf(runtime);
    const [swept, measured] = await Promise.allSettled([
      timers.sweep.run(),
      relaySilence.measure(runtime, clusters.all()),
    ]);
    if (measured.status === 'rejected') logger.error('the relays could not be checked', measured.reason);
    if (swept.status === 'rejected') throw swept.reason;
    logger.debug('swept', swept.value);
  }, groups);

export const handler = sweepHandler();

function timersOf(runtime: CloudRuntime): Timers {
  const { registry, clusters, settings } = runtime;
  const { sweepMs } = settings.intervals;
  const hasCluster = (cluster: string) => !clustersAreListed || clusters.get(cluster) !== undefined;
  return createTimers(runtime, registry, { timings: settings.timings, sweepMs, hasCluster });
}
