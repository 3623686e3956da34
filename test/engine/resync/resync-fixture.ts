import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { type EdgeKey, versionNumber } from '../../../lib/core/observation.ts';
import type { Target } from '../../../lib/core/target.ts';
import type { DifferenceIds } from '../../../lib/engine/resync/differences.ts';
import { type ResyncReport, resyncCluster } from '../../../lib/engine/resync/resync-cluster.ts';
import type { ResyncOptions } from '../../../lib/engine/resync/resync-tick.ts';
import type { CommitRecord } from '../../../lib/ports/state-store.ts';
import { takeLease } from '../../support/take-lease.ts';
import { CLUSTER, type FixtureOptions, RelayFixture, targetOf } from '../relay/relay-fixture.ts';

/** Resync on an embedded API server. Targets are in the state that committed passes leave. */
export class ResyncFixture extends RelayFixture {
  private tick = 0;
  private differences: DifferenceIds | undefined;
  private readonly scope: FixtureOptions['scope'];

  constructor(options: FixtureOptions = {}) {
    super(options);
    this.scope = options.scope;
  }

  /** Runs one tick, in the same process as the last one. */
  async resync(
    options: Partial<ResyncOptions> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ResyncReport> {
    this.tick += 1;
    const { cluster: api, store, sender, registry, clock, logger, metrics } = this;
    const report = await resyncCluster({
      cluster: CLUSTER,
      api,
      store,
      sender,
      registry,
      scope: this.scope ?? {},
      clock,
      logger,
      metrics,
      tick: this.tick,
      signal,
      options: { pageSize: 3, ...options },
      ...(this.differences === undefined ? {} : { previous: this.differences }),
    });
    this.differences = report.differences;
    return report;
  }

  /** Takes the target's lease, like a starting pass. */
  async begin(target: Target, leaseMs = 30_000): Promise<number> {
    const nowMs = this.clock.now();
    const state = await takeLease(this.memory, {
      target,
      owner: 'worker',
      attempt: 'attempt',
      nowMs,
      leaseUntilMs: nowMs + leaseMs,
      latestUntilMs: nowMs + leaseMs + 4_000,
    });
    if (state === undefined) throw new Error('the target is held');
    return state.epoch;
  }

  /** Writes the target's state after a pass that read this object and these versions. */
  async settle(
    object: KubeObject,
    versions: Record<EdgeKey, number> = {},
    changes: Partial<CommitRecord> = {},
  ): Promise<void> {
    const target = targetOf(object);
    const epoch = await this.begin(target);
    const observedVersion = versionNumber(object.metadata.resourceVersion);
    await this.memory.commitOverDirty(
      { target, owner: 'worker', epoch },
      {
        incarnation: 1,
        ...(observedVersion === undefined ? {} : { observedVersion }),
        failures: 0,
        bucket: { tokens: 1, atMs: 0 },
        values: {},
        wakeSent: false,
        versions,
        edges: Object.keys(versions),
        reconcilerVersion: '1',
        lastOutcome: {
          type: 'settled',
          reason: '',
          message: '',
          atMs: this.clock.now(),
          durationMs: 100,
          cause: 'updated',
        },
        ...changes,
      },
    );
  }
}
