import { DEFAULT_SWEEP_OPTIONS, Sweep } from '../../lib/engine/sweep/sweep.ts';
import { WakeHandler } from '../../lib/engine/wake/wake-handler.ts';
import { QueueWorker } from '../../lib/engine/worker/queue-worker.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import type { Installation } from './installation.ts';
import { type Part, repeatedly } from './part.ts';

const WAIT_SECONDS = 20;
/** Wakes are two requests each: many at once do no harm. */
const WAKES_AT_ONCE = 50;

/** Sends the events of deadlines whose delayed wake has come. */
export function wakePart(installation: Installation): Part {
  const { store, sender, registry, wakes, settings, clock, logger, metrics } = installation;
  const handler = new WakeHandler({
    store,
    sender,
    registry,
    wakes,
    timings: settings.timings,
    clock,
    logger,
    metrics,
  });
  const handle = async (messages: readonly ReceivedMessage[]) => {
    const results = await Promise.allSettled(messages.map((message) => handler.handle(message)));
    const done = messages.filter((_, index) => results[index]?.status === 'fulfilled');
    for (const result of results) {
      if (result.status === 'rejected') logger.error('a wake could not be handled and comes again', result.reason);
    }
    if (done.length > 0) await wakes.delete(done.map(({ receiptHandle }) => receiptHandle));
  };
  return (signal) =>
    new QueueWorker(wakes, handle, clock, logger, {
      concurrency: WAKES_AT_ONCE,
      timings: settings.timings,
      waitSeconds: WAIT_SECONDS,
    }).run(signal);
}

/** Looks for deadlines whose wake was lost, and gives those of the next interval theirs. Undefined when it is off. */
export function sweepPart(installation: Installation): Part | undefined {
  const { store, sender, registry, wakes, settings, clock, logger, metrics } = installation;
  const { sweepMs } = settings.intervals;
  if (sweepMs === 0) return undefined;
  const sweep = new Sweep(
    { store, sender, registry, wakes, timings: settings.timings, clock, logger, metrics },
    { ...DEFAULT_SWEEP_OPTIONS, intervalMs: sweepMs },
  );
  return (signal) => repeatedly('sweep', (abort) => sweep.run(abort), sweepMs, { clock, logger }, signal);
}
