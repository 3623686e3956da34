import type { Lane } from '../../engine/event-sender.ts';
import { DEFAULT_RELAY_SETTINGS, type RelaySettings } from '../../engine/runtime/relay.ts';
import { DEFAULT_CONCURRENCY } from '../../engine/runtime/worker.ts';
import { SeededEntropy } from '../seeded-entropy.ts';

/** What a deployment sets about its relay and its workers. */
export interface PartSettings {
  readonly relay: RelaySettings;
  /** Messages of a controller group that a worker has in work at once. */
  readonly concurrency: Readonly<Record<Lane, number>>;
}

/** Those of a deployment that sets nothing. */
export const SHIPPED_SETTINGS: PartSettings = { relay: DEFAULT_RELAY_SETTINGS, concurrency: DEFAULT_CONCURRENCY };

/** Drawn apart, so that whatever else a seed draws stays what it was. */
const SETTINGS = 0x5e77;
/** Each setting lies between its shipped value divided by this, and multiplied by it. */
const SPREAD = 3;
/** The server sends a bookmark each minute: a watch that may be silent for less than that never lasts. */
const SHORTEST_IDLE_MS = 90_000;
/** The fewest that the settings allow. */
const LEAST_CONCURRENCY = 2;

/** Settings around those of a deployment: shorter or longer times, fewer or more messages at once. */
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
