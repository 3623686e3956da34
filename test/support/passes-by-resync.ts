import type { Controller } from '../../lib/core/controller.ts';
import { Registry } from '../../lib/engine/registry.ts';
import { resyncCluster } from '../../lib/engine/resync/resync-cluster.ts';
import { TEST_CLUSTER, type World } from '../../lib/testing/world.ts';

/**
 * Deploys these controllers to the world: their resync compares once, and their worker handles the sent events.
 * @returns the targets that got a pass, as `kind name`, sorted.
 */
export async function passesByResync(world: World, controllers: readonly Controller[]): Promise<string[]> {
  const { api, store, sender, clock, logger, metrics, reports } = world;
  const registry = new Registry(controllers);
  // After this time, every target may have passes again.
  await clock.advance(60_000);
  const before = reports.length;
  const { signal } = new AbortController();
  const deps = { cluster: TEST_CLUSTER, api, store, sender, registry, scope: {}, clock, logger, metrics };
  await resyncCluster({ ...deps, tick: Math.round(clock.now() / 60_000), signal });
  await world.drain(world.worker('deployed-anew', { registry }));
  return reports
    .slice(before)
    .filter(({ cause, end }) => cause === 'resync' && end === 'committed')
    .map(({ target }) => `${target.kind} ${target.name}`)
    .sort();
}
