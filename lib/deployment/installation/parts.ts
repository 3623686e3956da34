import { createResync } from '../../engine/runtime/resync.ts';
import { createTimers } from '../../engine/runtime/timers.ts';
import type { Installation } from './installation.ts';
import { keepRunning, type Part, type PartName } from './part.ts';
import { relayPart } from './relay-part.ts';
import { workerPart } from './worker-part.ts';

/** Runs these parts until the signal aborts and each has ended its started work. */
export async function runParts(
  installation: Installation,
  names: readonly PartName[],
  signal: AbortSignal,
): Promise<void> {
  // A process with only the embedded stack has no part, so this promise keeps it running.
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.all(
    names.map(async (name) => {
      const part = createPart(name, installation);
      if (part !== undefined) await keepRunning(name, part, installation, signal);
    }),
  );
  if (!signal.aborted) await aborted;
}

/** Undefined for a part that the settings switch off. */
function createPart(name: PartName, installation: Installation): Part | undefined {
  const { registry, settings } = installation;
  const { timings, intervals } = settings;
  switch (name) {
    case 'relay':
      return relayPart(installation);
    case 'worker':
      return workerPart(installation);
    case 'wake':
      return createTimers(installation, registry, { timings }).runWakes;
    case 'sweep': {
      const { sweepMs } = intervals;
      return sweepMs === 0 ? undefined : createTimers(installation, registry, { timings, sweepMs }).runSweep;
    }
    case 'resync':
      return intervals.resyncMs === 0 ? undefined : createResync(installation, intervals.resyncMs).run;
  }
}
