/** How often a ConfigMap or Secret is looked at, one GET for all that read it: the least that the engine polls at. */
export const POLL_INTERVAL_MS = 30_000;
