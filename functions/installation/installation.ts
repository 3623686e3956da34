import type { AuthorError } from '../../lib/engine/author/author-error.ts';
import { ClusterGate } from '../../lib/engine/breaker/cluster-gate.ts';
import { VerifiedClusterApi } from '../../lib/engine/cluster-identity/verified-cluster-api.ts';
import type { DeploymentConflictError } from '../../lib/engine/deployment-lease/deployment-error.ts';
import { type DeploymentTimings, deploymentTimings } from '../../lib/engine/deployment-lease/deployment-timings.ts';
import { EventSender, type Lane } from '../../lib/engine/event-sender.ts';
import type { PassReport } from '../../lib/engine/pass/pass-report.ts';
import type { Registry } from '../../lib/engine/registry.ts';
import type { Clock, Entropy } from '../../lib/ports/clock.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { Logger } from '../../lib/ports/logger.ts';
import type { Metrics } from '../../lib/ports/metrics.ts';
import type { DelayQueue, FifoQueue } from '../../lib/ports/queue.ts';
import type { ClusterStore, StateStore } from '../../lib/ports/state-store.ts';
import type { Settings } from '../settings/settings-schema.ts';

/** The queues of the installed groups, by group and lane. */
export type InstalledQueues = Readonly<Record<string, Readonly<Record<Lane, FifoQueue>>>>;

/** What wiring gives: everything that reaches outside the process. */
export interface InstallationPorts {
  readonly store: StateStore;
  readonly queues: InstalledQueues;
  readonly wakes: DelayQueue;
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** One deployment of evenkeel, for one cluster: its ports, and the parts of the engine that several functions share. */
export interface Installation extends InstallationPorts {
  readonly settings: Settings;
  readonly registry: Registry;
  readonly sender: EventSender;
  readonly gate: ClusterGate;
  /** Names this process in leases. */
  readonly owner: string;
  /** Names this deployment among all that might drive the cluster; the same after a restart, and for all its processes. */
  readonly deployment: string;
  readonly onPass: (report: PassReport) => void;
  readonly onAuthorError: (error: AuthorError) => void;
  readonly deploymentTimings: DeploymentTimings;
  /** Told when another deployment drives a group that this one has. */
  readonly onReplaced: (error: DeploymentConflictError) => void;
  /** Told, once in a while, when the cluster does not say which deployment drives it: then no pass begins. */
  readonly onUnread: (error: unknown) => void;
}

export function createInstallation(
  ports: InstallationPorts,
  options: {
    readonly settings: Settings;
    readonly registry: Registry;
    readonly owner: string;
    readonly deployment: string;
    /** Left out: those that follow from the settings. */
    readonly deploymentTimings?: DeploymentTimings;
    readonly onPass?: (report: PassReport) => void;
    /** Left out where values could leak. */
    readonly onAuthorError?: (error: AuthorError) => void;
    readonly onReplaced?: (error: DeploymentConflictError) => void;
    readonly onUnread?: (error: unknown) => void;
  },
): Installation {
  const { store, queues, clock, entropy, metrics } = ports;
  const {
    settings,
    registry,
    owner,
    deployment,
    deploymentTimings: timings = deploymentTimings(settings.timings),
    onPass = () => {},
    onAuthorError = () => {},
    onReplaced = () => {},
    onUnread = () => {},
  } = options;
  return {
    ...ports,
    // The table belongs to one cluster: the versions of another one would be taken for this one's.
    api: new VerifiedClusterApi({ api: ports.api, cluster: settings.cluster, store, clock }),
    settings,
    registry,
    owner,
    deployment,
    deploymentTimings: timings,
    onPass,
    onAuthorError,
    onReplaced,
    onUnread,
    sender: new EventSender(registry, queues, entropy),
    gate: new ClusterGate(settings.paused ? pausedView(store) : store, clock, entropy, metrics),
  };
}

/** The clusters as a paused deployment sees them: each one paused. */
function pausedView(store: StateStore): ClusterStore {
  return new Proxy(store, {
    get: (target, property) => {
      if (property === 'readCluster') {
        return async (cluster: string) => ({ ...(await target.readCluster(cluster)), paused: true });
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
