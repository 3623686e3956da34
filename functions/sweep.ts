import { DEFAULT_SWEEP_OPTIONS, Sweep } from '../lib/engine/sweep/sweep.ts';
import { lambdaHandler } from './cloud/lambda-handler.ts';
import { RelaySilence } from './cloud/relay-silence.ts';
import type { CloudRuntime } from './wiring-cloud.ts';

const relaySilence = new RelaySilence();
/** One for the sandbox's life: it remembers what it need not read again. */
let sweep: Sweep | undefined;
let clustersAreListed = true;

/** Each minute: sends what is overdue, gives near deadlines their wake, and measures how long each relay has been silent. */
export const handler = lambdaHandler<unknown, void>(async (runtime) => {
  const { logger, clusters } = runtime;
  clustersAreListed = await clusters.refresh().then(
    () => true,
    (error: unknown) => {
      logger.error('the list of clusters could not be read: all deadlines are looked at, and no relay', error);
      return false;
    },
  );
  sweep ??= sweepOf(runtime);
  const [swept, measured] = await Promise.allSettled([sweep.run(), relaySilence.measure(runtime, clusters.all())]);
  if (measured.status === 'rejected') logger.error('the relays could not be looked at', measured.reason);
  if (swept.status === 'rejected') throw swept.reason;
  logger.debug('swept', swept.value);
});

function sweepOf(runtime: CloudRuntime): Sweep {
  const { settings, clusters } = runtime;
  const hasCluster = (cluster: string) => !clustersAreListed || clusters.get(cluster) !== undefined;
  const options = { ...DEFAULT_SWEEP_OPTIONS, intervalMs: settings.intervals.sweepMs };
  return new Sweep({ ...runtime, timings: settings.timings, hasCluster }, options);
}
