import type { Clock, Entropy } from '../../ports/clock.ts';
import type { ClusterApi } from '../../ports/cluster-api.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { DelayQueue, FifoQueue } from '../../ports/queue.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { StrayErrors } from '../../ports/stray-errors.ts';
import type { AuthorError } from '../author/author-error.ts';
import { ClusterGate, type Gate } from '../breaker/cluster-gate.ts';
import { VerifiedClusterApi } from '../cluster-identity/verified-cluster-api.ts';
import type { Clusters } from '../clusters.ts';
import type { DeploymentConflictError } from '../deployment-lease/deployment-error.ts';
import { DeploymentGuard } from '../deployment-lease/deployment-guard.ts';
import type { DeploymentTimings } from '../deployment-lease/deployment-timings.ts';
import { GuardedGate } from '../deployment-lease/guarded-gate.ts';
import { EventSender, type Lane } from '../event-sender.ts';
import type { FanoutOptions } from '../fanout/fanout-options.ts';
import { EventRecorder } from '../kube-events/event-recorder.ts';
import type { PassOptions } from '../pass/pass.ts';
import type { PassReport } from '../pass/pass-report.ts';
import type { Registry } from '../registry.ts';
import { deploymentLeases } from './deployment-leases.ts';
import { pausedView } from './paused-view.ts';

/** The queues of the controller groups, by group and lane. */
export type EngineQueues = Readonly<Record<string, Readonly<Record<Lane, FifoQueue>>>>;

/** All ports with which the engine of one cluster reaches outside its process. */
export interface EnginePorts {
  readonly store: StateStore;
  readonly queues: EngineQueues;
  readonly wakes: DelayQueue;
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** If left out, the process handles an error that a controller leaves uncaught. */
  readonly strays?: StrayErrors;
}

/** The deployment that an engine belongs to, among all that might drive the cluster. */
export interface DrivingDeployment {
  /** The same after a restart, and for all processes of the deployment. */
  readonly name: string;
  /** The namespace of the Leases of the controller groups. */
  readonly namespace: string;
  readonly timings: DeploymentTimings;
  /** Whether the deployment stands by until the one that drives the cluster is gone. It then checks less often. */
  readonly standsBy?: boolean;
  /** Called when another deployment drives a group. */
  readonly onReplaced?: (error: DeploymentConflictError) => void;
  /**
   * Called from time to time when the cluster does not show which deployment drives it. No pass starts during that
   * time.
   */
  readonly onUnread?: (error: unknown) => void;
}

export interface EngineOptions {
  /** The cluster's name in the installation. */
  readonly cluster: string;
  /** The name of the installation in Kubernetes Events. */
  readonly installation: string;
  /** The name of this process in leases. */
  readonly owner: string;
  readonly pass: PassOptions;
  /** Whether no pass of any cluster may start. */
  readonly paused?: boolean;
  /**
   * If left out, the cluster belongs to this process alone. Then nothing verifies which cluster answers, and nothing checks
   * which deployment drives it.
   */
  readonly deployment?: DrivingDeployment;
  /** If a change has more readers than this, rounds send it. */
  readonly directReaders?: number;
  readonly rounds?: Partial<FanoutOptions>;
  /** Resync sends nothing to a `resync` lane that holds more messages than this when it starts; 8,000 by default. */
  readonly resyncLaneDepth?: number;
  /** A round continues in another message after half of this time; the time limit of a pass by default. */
  readonly roundLimitMs?: number;
  readonly onPass?: (report: PassReport) => void;
  /** Called with each error of a controller's code, unchanged. Absent when the text of errors may be secret. */
  readonly onAuthorError?: (error: AuthorError) => void;
}

/** The resources that all parts of the engine share for one cluster in one process. */
export interface Engine extends EnginePorts {
  readonly options: EngineOptions;
  readonly owner: string;
  readonly registry: Registry;
  readonly sender: EventSender;
  readonly clusters: Clusters;
  /** The gate of the cluster itself, which knows no controller groups. */
  readonly gate: Gate;
  /** The gate that is checked before a pass, by controller group. */
  readonly gates: ReadonlyMap<string, Gate>;
  /** By controller group; none without a deployment. */
  readonly guards: ReadonlyMap<string, DeploymentGuard>;
  readonly events: EventRecorder;
  readonly onPass?: (report: PassReport) => void;
  /** Called with each error of a controller's code, unchanged. Absent when the text of errors may be secret. */
  readonly onAuthorError?: (error: AuthorError) => void;
}

export function createEngine(ports: EnginePorts, registry: Registry, options: EngineOptions): Engine {
  const { store, queues, clock, entropy, metrics } = ports;
  const { cluster, deployment, onPass, onAuthorError } = options;
  // The table belongs to one cluster. Versions of another cluster would be mistaken for versions of this one.
  const api = deployment === undefined ? ports.api : new VerifiedClusterApi({ api: ports.api, cluster, store, clock });
  const gate = new ClusterGate(options.paused === true ? pausedView(store) : store, clock, entropy, metrics);
  const guards = new Map(
    deploymentLeases({ api, registry, clock, options }).map((lease) => [lease.group, new DeploymentGuard(lease)]),
  );
  return {
    ...ports,
    api,
    options,
    owner: options.owner,
    registry,
    sender: new EventSender(registry, queues, entropy),
    clusters: clustersOf(cluster, api),
    gate,
    gates: new Map(
      registry.groups().map((group) => [group, guarded(gate, guards.get(group), clock, deployment)] as const),
    ),
    guards,
    events: new EventRecorder(clock, options.installation),
    ...(onPass !== undefined && { onPass }),
    ...(onAuthorError !== undefined && { onAuthorError }),
  };
}

/** The same engine with other ports to the same places. The state of the cluster and of its deployment is shared. */
export function reachedBy(engine: Engine, ports: Pick<EnginePorts, 'api' | 'store' | 'wakes'>): Engine {
  const api = engine.api instanceof VerifiedClusterApi ? engine.api.reachedBy(ports.api) : ports.api;
  return { ...engine, ...ports, api, clusters: clustersOf(engine.options.cluster, api) };
}

function clustersOf(name: string, api: ClusterApi): Clusters {
  return { api: (cluster) => (cluster === name ? api : undefined) };
}

function guarded(
  gate: Gate,
  guard: DeploymentGuard | undefined,
  clock: Clock,
  { onReplaced = () => {}, onUnread = () => {}, standsBy, timings }: Partial<DrivingDeployment> = {},
): Gate {
  if (guard === undefined) return gate;
  const conflictMs = standsBy === true ? timings?.durationMs : undefined;
  return new GuardedGate(gate, guard, clock, onReplaced, onUnread, conflictMs);
}
