import { createWorker } from '../../engine/runtime/worker.ts';
import type { Installation } from './installation.ts';
import type { Part } from './part.ts';

/** Handles the events of every installed group. */
export function workerPart(installation: Installation): Part {
  const { registry, settings } = installation;
  const worker = createWorker(installation, registry, {
    timings: settings.timings,
    within: (_event, handle) => handle(installation),
    knows: (cluster) => cluster === settings.cluster,
    concurrency: { events: settings.concurrency, resync: settings.resyncConcurrency },
  });
  return (signal) => worker.run(signal);
}
