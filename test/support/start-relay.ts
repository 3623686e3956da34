import { Relay } from '../../lib/engine/relay/relay.ts';
import { TEST_CLUSTER, type World } from '../../lib/testing/world.ts';

/** Starts a relay on the world's cluster. It goes on when the test moves the clock. @returns what ends it. */
export function startRelay(world: World): () => Promise<void> {
  const { api, store, sender, registry, clock, entropy, logger, metrics } = world;
  const stop = new AbortController();
  const relay = new Relay({
    cluster: TEST_CLUSTER,
    api,
    store,
    sender,
    registry,
    scope: {},
    clock,
    entropy,
    logger,
    metrics,
  });
  const running = relay.run(stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}
