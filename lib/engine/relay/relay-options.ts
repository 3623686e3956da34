import type { BackoffPolicy } from '../../core/backoff.ts';
import type { InstallationScope } from '../../core/installation.ts';
import { DEFAULT_LEASE_TIMINGS, type LeaseTerms } from '../../core/lease.ts';
import type { RateLimit } from '../../core/rate-limit.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { EventSender } from '../event-sender.ts';
import { DEFAULT_FANOUT_OPTIONS, DIRECT_READERS } from '../fanout/fanout-options.ts';
import type { Registry } from '../registry.ts';
import type { UnchangedRecord } from '../unchanged-record.ts';

export interface RelayOptions {
  /** The relay's lease in the table; renewed at a third of it. */
  readonly leaseMs: number;
  /** How often a standby checks whether the lease was renewed. */
  readonly standbyPollMs: number;
  /** A holder stops this long before its lease ends, and a standby waits this much longer. */
  readonly clockSkewMs: number;
  /** The timings of passes: they decide whether a pass is running. */
  readonly targetLease: LeaseTerms;
  /** How often a holder reads the table for another incarnation and for a pause. */
  readonly clusterPollMs: number;
  /** Objects of one list page. */
  readonly pageSize: number;
  /** The largest number of watch events in a batch. The relay reads the same number ahead. */
  readonly batchSize: number;
  /**
   * An event that arrives during a pass of its target waits this long, once, for the commit. Usually it is the event of
   * that pass's own write, and then it is already observed.
   */
  readonly passGraceMs: number;
  /**
   * If more objects of a controller group than this read a changed object, rounds send the change, not one event for each
   * reader.
   */
  readonly directReaders: number;
  /** The rate of one namespace's events on the `events` lane. */
  readonly namespacePace: RateLimit;
  /**
   * The other events wait. They are sent by the `resync` lane every `everyMs`, while it holds at most `laneDepth` messages.
   * At most `size` of them wait.
   */
  readonly overflow: { readonly everyMs: number; readonly size: number; readonly laneDepth: number };
  /**
   * Every `everyMs`, the oldest waiting events of each stream fill the `events` lane up to `depth` messages. So a namespace
   * whose neighbours are quiet does not wait for the `resync` lane, and a neighbour's event waits behind at most `depth` more
   * for each stream that has events waiting.
   */
  readonly spareLane: { readonly everyMs: number; readonly depth: number };
  /** The server ends each watch after a random time between the two, so that watches do not restart together. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** A watch that is silent for this long is closed as dead. Bookmarks come about once a minute. */
  readonly idleMs: number;
  /** A watch that ends sooner counts as a failure, however it ended. */
  readonly healthyMs: number;
  readonly backoff: BackoffPolicy;
  /** Retry interval for a forbidden kind. */
  readonly slowRetryMs: number;
  /** Retry interval for a kind whose CRD is missing; short, because installing the CRD usually brings a burst of work. */
  readonly missingRetryMs: number;
  /** The longest Retry-After that is honoured. */
  readonly maxRetryAfterMs: number;
  /** A stream writes at most one checkpoint in this time. */
  readonly checkpointEveryMs: number;
  /** How often the restore counter is raised. */
  readonly raiseEveryMs: number;
  /**
   * The Lease in the cluster that holds the restore counter, and the deployment whose counter it is. Deployments with
   * separate tables share the Lease, and each counts for itself.
   */
  readonly witness: { readonly namespace: string; readonly name: string; readonly deployment?: string };
}

export const DEFAULT_RELAY_OPTIONS: RelayOptions = {
  leaseMs: 30_000,
  standbyPollMs: 5_000,
  clockSkewMs: 4_000,
  targetLease: DEFAULT_LEASE_TIMINGS,
  clusterPollMs: 10_000,
  pageSize: 500,
  batchSize: 100,
  passGraceMs: 30,
  directReaders: DIRECT_READERS,
  namespacePace: { burst: 1_000, refillMs: 20 },
  overflow: { everyMs: 5_000, size: 2_000, laneDepth: DEFAULT_FANOUT_OPTIONS.laneDepth },
  spareLane: { everyMs: 200, depth: 50 },
  watchSeconds: { min: 240, max: 480 },
  idleMs: 150_000,
  healthyMs: 30_000,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  slowRetryMs: 120_000,
  missingRetryMs: 30_000,
  maxRetryAfterMs: 300_000,
  checkpointEveryMs: 5_000,
  raiseEveryMs: 240_000,
  witness: { namespace: 'evenkeel-system', name: 'evenkeel-relay' },
};

export interface RelayDependencies {
  /** The cluster's name in the installation. */
  readonly cluster: string;
  readonly api: ClusterApi;
  readonly store: StateStore;
  readonly sender: EventSender;
  readonly registry: Registry;
  readonly scope: InstallationScope;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What earlier standbys of this process saw of the hold. For a caller that starts a standby again and again. */
  readonly holdSeen?: UnchangedRecord;
}
