import type { Lane } from '../../engine/event-sender.ts';
import { DEFAULT_RELAY_SETTINGS, type RelaySettings } from '../../engine/runtime/relay.ts';
import { DEFAULT_CONCURRENCY } from '../../engine/runtime/worker.ts';
import { SeededEntropy } from '../seeded-entropy.ts';

/** The settings of a deployment for its relay and its workers. */
export interface PartSettings {
  readonly relay: RelaySettings;
  /** The number of messages of a controller group that a worker handles in parallel. */
  readonly concurrency: Readonly<Record<Lane, number>>;
}

/** The default settings of a deployment. */
export const SHIPPED_SETTINGS: PartSettings = { relay: DEFAULT_RELAY_SETTINGS, concurrency: DEFAULT_CONCURRENCY };

/** A separate stream of random numbers, so that everything else that a seed draws is unchanged. */
const SETTINGS = 0x5e77;
/** Each setting is between its default divided by this, and its default times this. */
const SPREAD = 3;
/** The server sends a bookmark each minute, so a watch with a shorter idle time-out would always end. */
const SHORTEST_IDLE_MS = 90_000;
/** The smallest value that the settings allow. */
const LEAST_CONCURRENCY = 2;

/** Draws settings around the defaults: shorter or longer times, fewer or more parallel messages. */
export function drawSettings(seed: number): PartSettings {
  const entropy = new SeededEntropy(seed ^ SETTINGS);
  const around = (shipped: number) => Math.round(shipped * SPREAD ** (2 * entropy.random() - 1));
  const { pageSize, watchTimeoutMs, idleTimeoutMs, leaseMs } = DEFAULT_RELAY_SETTINGS;
  return {
    relay: {
      pageSize: around(pageSize),
      watchTimeoutMs: around(watchTimeoutMs),
      idleTimeoutMs: Math.max(SHORTEST_IDLE_MS, around(idleTimeoutMs)),
      leaseMs: around(leaseMs),
    },
    concurrency: {
      events: Math.max(LEAST_CONCURRENCY, around(DEFAULT_CONCURRENCY.events)),
      resync: Math.max(LEAST_CONCURRENCY, around(DEFAULT_CONCURRENCY.resync)),
    },
  };
}
