/** How often a ConfigMap or Secret is polled, with one GET for all its readers. It is the shortest interval of the engine. */
export const POLL_INTERVAL_MS = 30_000;
