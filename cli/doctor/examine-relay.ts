import { formatDuration } from '../../lib/core/duration.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import { isBreakerOpen } from '../../lib/engine/breaker/is-breaker-open.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import { watchStreams } from '../../lib/engine/watch/watch-stream.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { StateStore } from '../../lib/ports/state-store.ts';
import { type Diagnosis, note, ok, trouble } from './diagnosis.ts';

/** Bookmarks come each minute, so three missing ones show a fault. */
const SILENT_MS = 180_000;

/** Checks whether a cluster's relay works, by its last writes to the table. */
export async function examineRelay(
  name: string,
  store: StateStore,
  registry: Registry,
  { scope, paused, standby }: Settings,
  clock: Clock,
): Promise<Diagnosis[]> {
  const state = await store.readCluster(name);
  if (paused || state.paused)
    return [note(name, 'it is paused', 'End the pause with evenkeel resume, or in the settings.')];
  if (standby && state.relay === undefined) return [note(name, 'no relay holds it, because this stage stands by')];
  const diagnoses: Diagnosis[] = [];
  if (isBreakerOpen(state.breakerOpenUntilMs, clock.now())) {
    diagnoses.push(
      trouble(
        name,
        'its passes are put off, because it did not answer',
        'See its other lines. It is tried again automatically.',
      ),
    );
  }
  const silent: string[] = [];
  for (const { id } of watchStreams(registry, scope)) {
    const checkpoint = await store.readCheckpoint(name, id);
    const silentMs = checkpoint === undefined ? undefined : clock.now() - checkpoint.heartbeatMs;
    if (silentMs === undefined) silent.push(`${id}: never seen`);
    else if (silentMs > SILENT_MS) silent.push(`${id}: for ${formatDuration(silentMs)}`);
  }
  if (silent.length === 0) return [...diagnoses, ok(name, 'the relay follows every kind')];
  const holder = state.relay === undefined ? 'no relay holds it' : `relay ${state.relay.owner} holds it`;
  const advice = 'Read the log of the relay function. It is called each minute: check that its schedule is enabled.';
  return [...diagnoses, trouble(name, `the relay is silent (${holder}): ${silent.join('; ')}`, advice)];
}
