import type { World } from '../../lib/testing/world.ts';

/**
 * Starts a relay on the world's cluster. It continues when the test moves the clock. @returns a function that ends it.
 */
export function startRelay(world: World): () => Promise<void> {
  const stop = new AbortController();
  const running = world.relay().run(stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}
