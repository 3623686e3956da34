import { Relay } from '../../lib/engine/relay/relay.ts';
import { DEFAULT_RELAY_OPTIONS } from '../../lib/engine/relay/relay-options.ts';
import type { UnchangedRecord } from '../../lib/engine/unchanged-record.ts';
import type { Entropy } from '../../lib/ports/clock.ts';
import type { Installation } from './installation.ts';
import type { Part } from './part.ts';

/** A watch ends after its time, a third more or less, so that not all of them come back at once. */
const SPREAD = 1 / 3;

/**
 * Watches the cluster and sends what happened, while it holds the cluster's relay lease; stands by otherwise.
 * @param standby how often it looks at the lease meanwhile, under which owner's name it takes it, and what this process saw
 * of the lease before.
 */
export function relayPart(
  installation: Installation,
  standby: { readonly pollMs?: number; readonly owner?: string; readonly holdSeen?: UnchangedRecord } = {},
): Part {
  const { settings, api, store, sender, registry, clock, logger, metrics } = installation;
  const { owner, holdSeen } = standby;
  const entropy = owner === undefined ? installation.entropy : withId(installation.entropy, owner);
  const { pageSize, watchTimeoutMs, idleTimeoutMs, leaseMs } = settings.relay;
  const watchSeconds = watchTimeoutMs / 1_000;
  const relay = new Relay({
    cluster: settings.cluster,
    api,
    store,
    sender,
    registry,
    scope: settings.scope,
    clock,
    entropy,
    logger,
    metrics,
    ...(holdSeen !== undefined && { holdSeen }),
    options: {
      pageSize,
      witness: { ...DEFAULT_RELAY_OPTIONS.witness, deployment: installation.deployment },
      leaseMs,
      standbyPollMs: Math.min(standby.pollMs ?? DEFAULT_RELAY_OPTIONS.standbyPollMs, leaseMs / 2),
      idleMs: idleTimeoutMs,
      targetLease: settings.timings,
      clockSkewMs: Math.min(settings.timings.clockSkewMs, leaseMs / 4),
      watchSeconds: {
        min: Math.max(1, Math.round(watchSeconds * (1 - SPREAD))),
        max: Math.max(1, Math.round(watchSeconds * (1 + SPREAD))),
      },
    },
  });
  return (signal) => relay.run(signal);
}

/** The relay names its holds by ids: all of one run by this one. */
function withId(entropy: Entropy, id: string): Entropy {
  return { random: () => entropy.random(), id: () => id };
}
