import { DEFAULT_SWEEP_OPTIONS, Sweep } from '../lib/engine/sweep/sweep.ts';
import { lambdaHandler } from './cloud/lambda-handler.ts';
import { RelaySilence } from './cloud/relay-silence.ts';

const relaySilence = new RelaySilence();

/** Each minute: sends what is overdue, gives near deadlines their wake, and measures how long each relay has been silent. */
export const handler = lambdaHandler<unknown, void>(async (runtime) => {
  const { settings, logger, clusters } = runtime;
  const options = { ...DEFAULT_SWEEP_OPTIONS, intervalMs: settings.intervals.sweepMs };
  const listed = await clusters.refresh().then(
    () => true,
    (error: unknown) => {
      logger.error('the list of clusters could not be read: all deadlines are looked at, and no relay', error);
      return false;
    },
  );
  const hasCluster = (cluster: string) => !listed || clusters.get(cluster) !== undefined;
  const [swept, measured] = await Promise.allSettled([
    new Sweep({ ...runtime, timings: settings.timings, hasCluster }, options).run(),
    relaySilence.measure(runtime, clusters.all()),
  ]);
  if (measured.status === 'rejected') logger.error('the relays could not be looked at', measured.reason);
  if (swept.status === 'rejected') throw swept.reason;
  logger.debug('swept', swept.value);
});
