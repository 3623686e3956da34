import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import type { Fleet } from './fleet.ts';

const DAY_MS = 86_400_000;

/**
 * Users edit objects anywhere in the fleet, at random times, until the signal aborts. Half of the edits change a contract, the
 * others change a Secret.
 * @param editsADay of each object, on average.
 */
export async function editAnything(fleet: Fleet, editsADay: number, signal: AbortSignal): Promise<void> {
  const chance = new SeededEntropy(7);
  const everyMs = DAY_MS / (editsADay * fleet.objects);
  for (;;) {
    // The times between random events that are independent of each other.
    await fleet.clock.sleep(-Math.log(1 - chance.random()) * everyMs, signal).catch(() => {});
    if (signal.aborted) return;
    const cluster = fleet.clusters[Math.floor(chance.random() * fleet.clusters.length)];
    if (cluster === undefined) return;
    const index = Math.floor(chance.random() * cluster.contracts.count);
    cluster.edit(chance.random() < 0.5 ? 'contract' : 'secret', index);
    fleet.figures.edited(cluster.contracts.uid(index));
  }
}
