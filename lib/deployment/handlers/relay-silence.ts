import { watchStreams } from '../../engine/watch/watch-stream.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

type SilenceRuntime = Pick<CloudRuntime, 'store' | 'registry' | 'settings' | 'clock' | 'metrics'>;

/**
 * Measures how long ago each watch stream of each cluster wrote its last checkpoint. A relay that died cannot report
 * that itself. A stream without a checkpoint counts from the first measurement.
 */
export class RelaySilence {
  private readonly firstLookMs = new Map<string, number>();

  /** A paused cluster is expected to be silent. */
  async measure(runtime: SilenceRuntime, clusters: readonly { readonly name: string }[]): Promise<void> {
    if (runtime.settings.paused) return;
    await Promise.all(clusters.map(({ name }) => this.measureCluster(runtime, name)));
  }

  private async measureCluster(runtime: SilenceRuntime, name: string): Promise<void> {
    const { store, registry, settings, clock, metrics } = runtime;
    const { paused, relay } = await store.readCluster(name);
    // A standby stage has no relay in a cluster that another deployment drives.
    if (paused || (settings.standby && relay === undefined)) return;
    for (const { id, kind } of watchStreams(registry, settings.scope)) {
      const checkpoint = await store.readCheckpoint(name, id);
      const nowMs = clock.now();
      const heardMs = checkpoint?.heartbeatMs ?? this.firstLook(`${name} ${id}`, nowMs);
      metrics.record('RelaySilence', Math.max(0, nowMs - heardMs) / 1_000, { Cluster: name, Kind: kind.id });
    }
  }

  private firstLook(stream: string, nowMs: number): number {
    const firstMs = this.firstLookMs.get(stream) ?? nowMs;
    this.firstLookMs.set(stream, firstMs);
    return firstMs;
  }
}
