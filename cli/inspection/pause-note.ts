import type { Inspection } from './inspection.ts';

/** A sentence about a paused cluster, in which no pass starts. */
export async function pauseNote({ settings, store, cluster }: Inspection): Promise<string | undefined> {
  if (settings.paused) return 'the settings pause the whole deployment: no pass begins until paused is false';
  const { paused } = await store.readCluster(cluster);
  return paused ? `cluster ${cluster} is paused: no pass begins there until evenkeel resume` : undefined;
}
