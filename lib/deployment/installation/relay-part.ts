import { createRelay, relayOptionsOf } from '../../engine/runtime/relay.ts';
import type { UnchangedRecord } from '../../engine/unchanged-record.ts';
import type { Installation } from './installation.ts';
import type { Part } from './part.ts';

/**
 * Watches the cluster and sends events while it has the hold; waits for the hold otherwise.
 * @param standby the interval for reading the hold while it waits, the owner's name for it, and what this process saw
 * of the hold before.
 */
export function relayPart(
  installation: Installation,
  {
    pollMs,
    ...standby
  }: { readonly pollMs?: number; readonly owner?: string; readonly holdSeen?: UnchangedRecord } = {},
): Part {
  const { registry, deployment, settings, owner } = installation;
  const { cluster, scope, relay, timings } = settings;
  const options = {
    cluster,
    scope,
    relay: relayOptionsOf(relay, timings, deployment, pollMs),
    process: owner,
    ...standby,
  };
  const created = createRelay(installation, registry, options);
  return (signal) => created.run(signal);
}
