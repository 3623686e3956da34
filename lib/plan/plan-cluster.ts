import { KubernetesClusterApi } from '../adapters/kubernetes/kubernetes-cluster-api.ts';
import type { ConnectionGuard } from '../adapters/system/connection-guard.ts';
import { processStrayErrors } from '../adapters/system/process-stray-errors.ts';
import type { DesiredObject } from '../core/kube-object.ts';
import { type KindId, Namespaces } from '../core/resource-type.ts';
import type { Target } from '../core/target.ts';
import type { PassOptions } from '../engine/pass/pass.ts';
import type { Registry } from '../engine/registry.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import { type ClusterApi, isApiError } from '../ports/cluster-api.ts';
import type { TargetState } from '../ports/state-store.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { RecordedMetrics, SilentLogger } from '../testing/recorders.ts';
import { buildReport } from './build-report.ts';
import { ChangeRecorder } from './changes/change-recorder.ts';
import { CurrentPass } from './changes/current-pass.ts';
import { planDefinitions } from './definitions/definition-effects.ts';
import { CopiedObjects } from './fork/copied-objects.ts';
import { newForkServer } from './fork/fork-server.ts';
import { ForkedClusterApi } from './fork/forked-cluster-api.ts';
import { ExternalCalls } from './passes/external-calls.ts';
import { PassLedger } from './passes/pass-ledger.ts';
import { createPlanEngine } from './passes/plan-engine.ts';
import { seedRecordedState } from './passes/recorded-state.ts';
import { runPasses } from './passes/run-passes.ts';
import type { PlanReport } from './report/plan-report.ts';

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

/**
 * Foresees what controllers would change in a cluster. The same engine runs the same passes as in an installation,
 * on a copy of what they read, and on virtual time. Nothing is written to the cluster, its table or its queues.
 * @throws ApiError when the cluster cannot be reached at all.
 */
export async function planCluster(options: PlanOptions): Promise<PlanReport> {
  const { live, guard, entropy, signal, cluster } = options;
  await assertReachable(live);
  const pass = new CurrentPass();
  guard.within = () => pass.target;
  const external = new ExternalCalls(pass, (task) => guard.allow(task));
  const registry = options.registry(external);
  const clock = new ManualClock(options.clock.now());
  const recorder = new ChangeRecorder(pass);
  const server = newForkServer(clock, entropy, (change) => recorder.record(change));
  const fork = new KubernetesClusterApi({ transport: server, clock, userAgent: 'evenkeel-plan' });
  const copies = new CopiedObjects({ live, server, fork, definitions: options.definitions });
  const ledger = new PassLedger({
    pass,
    clock,
    realClock: options.clock,
    passLimitMs: options.pass.timings.passLimitMs,
  });
  const plan = createPlanEngine({
    cluster,
    registry,
    api: new ForkedClusterApi(copies, fork),
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
  const { definitions } = options;
  const effects = await planDefinitions({ live, copies, recorder, definitions, clock: options.clock });
  const incomplete = await runPasses(plan, clock, () => ledger.passes, signal);
  await server.idle();
  const hasRecords = options.recorded !== undefined;
  return buildReport({ recorder, ledger, external, copies, server, guard, incomplete, hasRecords, effects });
}

async function assertReachable(live: ClusterApi): Promise<void> {
  try {
    await live.get(Namespaces, { namespace: '', name: 'kube-system' }, { metadataOnly: true });
  } catch (error) {
    if (!isApiError(error, 'NotFound', 'Forbidden')) throw error;
  }
}
