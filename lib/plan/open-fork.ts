import { KubernetesClusterApi } from '../adapters/kubernetes/kubernetes-cluster-api.ts';
import type { ConnectionGuard } from '../adapters/system/connection-guard.ts';
import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { DesiredObject, KubeObject } from '../core/kube-object.ts';
import { type KindId, Namespaces } from '../core/resource-type.ts';
import type { Target } from '../core/target.ts';
import type { PassOptions } from '../engine/pass/pass.ts';
import type { Registry } from '../engine/registry.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import { type ClusterApi, isApiError } from '../ports/cluster-api.ts';
import type { TargetState } from '../ports/state-store.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { seedRecordedState } from '../testing/recorded-state.ts';
import { RecordedMetrics, SilentLogger } from '../testing/recorders.ts';
import { ChangeRecorder } from './changes/change-recorder.ts';
import { CurrentPass } from './changes/current-pass.ts';
import { CopiedObjects } from './fork/copied-objects.ts';
import { newForkServer } from './fork/fork-server.ts';
import { ForkedClusterApi } from './fork/forked-cluster-api.ts';
import { ExternalCalls } from './passes/external-calls.ts';
import { PassLedger } from './passes/pass-ledger.ts';
import { createPlanEngine, type PlanEngine } from './passes/plan-engine.ts';

export interface PlanOptions {
  /** The cluster's name in the installation. */
  readonly cluster: string;
  /** A connection to the cluster that only reads. */
  readonly live: ClusterApi;
  /** Creates the controllers of the planned version. @param external wraps the clients of the controllers. */
  readonly registry: (external: ExternalCalls) => Registry;
  /** The CustomResourceDefinitions of the planned version, by the id of their kind. */
  readonly definitions: ReadonlyMap<KindId, DesiredObject>;
  readonly pass: PassOptions;
  /** The deployment's records of its objects; absent when they are not known. */
  readonly recorded?: AsyncIterable<TargetState>;
  readonly guard: ConnectionGuard<Target>;
  /** The clock of this machine. Virtual time starts at its time, and it ends a pass that hangs. */
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly signal: AbortSignal;
}

/** A copy of a cluster, and the engine that runs the planned controllers on it. */
export interface OpenFork {
  readonly pass: CurrentPass;
  readonly external: ExternalCalls;
  readonly registry: Registry;
  /** Virtual time. */
  readonly clock: ManualClock;
  readonly recorder: ChangeRecorder;
  readonly server: ApiServer;
  /** The API of the embedded API server that holds the copies. */
  readonly fork: ClusterApi;
  readonly copies: CopiedObjects;
  /** The reads that failed in passes, with the reasons. */
  readonly failedReads: ReadonlyMap<string, string>;
  readonly ledger: PassLedger;
  readonly plan: PlanEngine;
}

/**
 * @param onCopy called with each copied object, as it is in the cluster.
 * @throws ApiError when the cluster cannot be reached.
 */
export async function openFork(options: PlanOptions, onCopy?: (object: KubeObject) => void): Promise<OpenFork> {
  const { live, guard, entropy, cluster, definitions } = options;
  await assertReachable(live);
  const pass = new CurrentPass();
  guard.within = () => pass.target;
  const external = new ExternalCalls(pass, (task) => guard.allow(task));
  const registry = options.registry(external);
  const clock = new ManualClock(options.clock.now());
  const recorder = new ChangeRecorder(pass);
  const server = newForkServer(clock, entropy, (change) => recorder.record(change));
  const fork = new KubernetesClusterApi({ transport: server, clock, userAgent: 'evenkeel-plan' });
  const copies = new CopiedObjects({ live, server, fork, definitions, ...(onCopy !== undefined && { onCopy }) });
  const api = new ForkedClusterApi(copies, fork);
  const { passLimitMs } = options.pass.timings;
  const ledger = new PassLedger({ pass, clock, realClock: options.clock, passLimitMs });
  const plan = createPlanEngine({
    cluster,
    registry,
    api,
    clock,
    entropy,
    logger: new SilentLogger(),
    metrics: new RecordedMetrics(),
    strays: processStrayErrors,
    // No resync timers: every version has them, so they are not a part of a plan.
    pass: { ...options.pass, targetResyncMs: undefined },
    within: (message, handle) => ledger.run(message, handle),
    onPass: (report) => ledger.report(report),
    onAuthorError: () => undefined,
  });
  if (options.recorded !== undefined) await seedRecordedState(plan.store, options.recorded, cluster, clock.now());
  return {
    pass,
    external,
    registry,
    clock,
    recorder,
    server,
    fork,
    copies,
    failedReads: api.failedReads,
    ledger,
    plan,
  };
}

async function assertReachable(live: ClusterApi): Promise<void> {
  try {
    await live.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true });
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Forbidden')) throw error;
  }
}
