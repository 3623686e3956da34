import { watchStreams } from '../../engine/watch/watch-stream.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

type SilenceRuntime = Pick<CloudRuntime, 'store' | 'registry' | 'settings' | 'clock' | 'metrics'>;

/**
 * Measures how long ago each stream of each cluster last recorded how far it came: a relay that died cannot tell of it, so
 * somebody else does. A stream that never did counts from when it was first looked at.
 */
export class RelaySilence {
  private readonly firstLookMs = new Map<string, number>();

  /** A cluster that is paused is silent on purpose. */
  async measure(runtime: SilenceRuntime, clusters: readonly { readonly name: string }[]): Promise<void> {
    if (runtime.settings.paused) return;
    await Promise.all(clusters.map(({ name }) => this.measureCluster(runtime, name)));
  }

  private async measureCluster(runtime: SilenceRuntime, name: string): Promise<void> {
    const { store, registry, settings, clock, metrics } = runtime;
    const { paused, relay } = await store.readCluster(name);
    // A stage that stands by has no relay in a cluster that another deployment drives.
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
