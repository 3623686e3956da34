import type { InstallationScope } from '../../core/installation.ts';
import { DEFAULT_LEASE_TIMINGS, type LeaseTerms } from '../../core/lease.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { ClusterState, StateStore } from '../../ports/state-store.ts';
import type { EventSender } from '../event-sender.ts';
import { DIRECT_READERS } from '../fanout/fanout-options.ts';
import type { TargetScope } from '../fanout/target-scope.ts';
import type { Registry } from '../registry.ts';
import type { Differences } from './differences.ts';

export interface ResyncDependencies {
  /** The cluster's name in the installation. */
  readonly cluster: string;
  readonly api: ClusterApi;
  readonly store: StateStore;
  readonly sender: EventSender;
  readonly registry: Registry;
  readonly scope: InstallationScope;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface ResyncOptions {
  /** Objects of one list page. */
  readonly pageSize: number;
  /**
   * How many targets get an event in one tick because their last pass ran with another version of their reconciler. They have
   * low priority, so only a few at a time.
   */
  readonly outdatedPerTick: number;
  /**
   * A target that its labels left out, and that is not in the list, may be gone or only not selected. Resync checks it once
   * in this many ticks.
   */
  readonly unmanagedEveryTicks: number;
  /** If more objects of a controller group than this read a changed object, a round sends the change to the other readers. */
  readonly directReaders: number;
  /** The `resync` lane of a controller group is full when it holds more messages than this at the start of a tick. */
  readonly laneDepth: number;
  /** How far the clock of the API server may differ from ours. */
  readonly clockMarginMs: number;
  /** The timings of passes: they decide whether a pass is running. */
  readonly lease: LeaseTerms;
}

export const DEFAULT_RESYNC_OPTIONS: ResyncOptions = {
  pageSize: 500,
  outdatedPerTick: 1_000,
  unmanagedEveryTicks: 72,
  directReaders: DIRECT_READERS,
  laneDepth: 8_000,
  clockMarginMs: 60_000,
  lease: DEFAULT_LEASE_TIMINGS,
};

/** One run over one cluster. */
export interface ResyncTick {
  readonly deps: ResyncDependencies;
  readonly options: ResyncOptions;
  /** The number of the run, so that the differences of each run have their own ids. */
  readonly tick: number;
  readonly incarnation: number;
  readonly scope: TargetScope;
  readonly differences: Differences;
  /** The halts of new versions of controllers. */
  readonly halts: ClusterState['halts'] | undefined;
  readonly signal: AbortSignal;
}
