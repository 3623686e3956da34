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
  /** The controllers of the planned version. @param external stands between them and what they call. */
  readonly registry: (external: ExternalCalls) => Registry;
  /** The CustomResourceDefinitions that the planned version brings, by the id of their kind. */
  readonly definitions: ReadonlyMap<KindId, DesiredObject>;
  readonly pass: PassOptions;
  /** What the deployment recorded about its objects; none when it is not known. */
  readonly recorded?: AsyncIterable<TargetState>;
  readonly guard: ConnectionGuard<Target>;
  /** The clock of this machine: virtual time begins at its time, and hanging code is given up by it. */
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly signal: AbortSignal;
}

/** A copy of a cluster, and the engine that runs the planned controllers on it. */
export interface OpenFork {
  readonly pass: CurrentPass;
  readonly external: ExternalCalls;
  readonly registry: Registry;
  /** Virtual. */
  readonly clock: ManualClock;
  readonly recorder: ChangeRecorder;
  readonly server: ApiServer;
  /** The API of the embedded API server that holds the copies. */
  readonly fork: ClusterApi;
  readonly copies: CopiedObjects;
  /** What the passes read from the cluster in vain, and why. */
  readonly failedReads: ReadonlyMap<string, string>;
  readonly ledger: PassLedger;
  readonly plan: PlanEngine;
}

/**
 * @param onCopy called with each object that is copied, as the cluster has it.
 * @throws ApiError when the cluster cannot be reached at all.
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
    // A resync timer of each object is the future of any version.
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
