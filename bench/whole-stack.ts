import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { startRealApiServer } from '../test/real-apiserver/real-api-server.ts';
import { bareLatenciesMs, barePasses, createContracts, StatusWatch } from './contracts.ts';
import { editOneByOne, storm } from './edits.ts';
import { Spawned } from './spawned.ts';
import { type Spread, spread } from './statistics.ts';

export interface StackFigures {
  readonly api: 'embedded' | 'real';
  readonly contracts: number;
  /** The rate of the bare requests in the same run, in passes a second. This is the limit. */
  readonly barePerSecond: number;
  readonly coldStartSeconds: number;
  readonly coldStartPerSecond: number;
  /** coldStartPerSecond divided by barePerSecond. */
  readonly efficiency: number;
  readonly workerCpuMsPerPass: number;
  readonly workerPeakMb: number;
  /** The time from an edit until a watch shows its status, one edit at a time. */
  readonly oneEditMs: Spread;
  /** The same with bare requests, which need no event about the edit. This is the limit. */
  readonly bareEditMs: Spread;
  /** oneEditMs divided by bareEditMs. */
  readonly latencyRatio: { readonly p50: number; readonly p99: number };
  readonly stormMs: Spread;
  readonly stormEditsPerSecond: number;
}

export interface StackPlan {
  readonly api: 'embedded' | 'real';
  readonly contracts: number;
  readonly singleEdits: number;
  readonly stormSeconds: number;
  readonly stormEditsPerSecond: number;
}

const SETTINGS = { intervals: { resync: 'off', targetResync: '6h' }, rateLimit: { burst: 1_000, refill: '10ms' } };

/**
 * Queue, table and API server run in their own processes; the relay, the worker and the timers run together in the
 * measured one.
 */
export async function measureStack(plan: StackPlan): Promise<StackFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const settings = join(directory, 'settings.yaml');
  writeFileSync(settings, JSON.stringify(SETTINGS));
  const real = plan.api === 'real' ? await startRealApiServer() : undefined;
  const common = ['--state-dir', directory, '--settings', settings];
  const cluster = real === undefined ? ['--empty'] : ['--kubeconfig', real.kubeconfigPath, '--install-crds'];
  const stack = await Spawned.start(['--parts', 'stack', ...common, ...cluster]);
  const kubeconfig = real?.kubeconfigPath ?? join(directory, 'kubeconfig');
  const clock = new SystemClock();
  const connected = connectCluster({
    connection: (await loadKubeconfig({ file: kubeconfig, environment: process.env, clock })).connection,
    userAgent: 'bench',
    clock,
    connections: 32,
    requestTimeoutMs: 60_000,
  });
  try {
    await createContracts(connected.api, plan.contracts);
    return await measureController(plan, connected.api, common);
  } finally {
    await connected.close();
    await stack.stop();
    await real?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureController(
  plan: StackPlan,
  api: Parameters<typeof createContracts>[0],
  common: readonly string[],
): Promise<StackFigures> {
  const watch = new StatusWatch(api);
  await watch.start();
  const worker = await Spawned.start(['--parts', 'relay,worker,wake,sweep', ...common]);
  try {
    const started = performance.now();
    await watch.until(() => watch.rightCount === plan.contracts);
    const coldStartSeconds = (performance.now() - started) / 1_000;
    const cpuSeconds = worker.cpuSeconds();
    const oneEditMs = await editOneByOne(plan, api, watch);
    const stormMs = await storm(plan, api, watch);
    const workerPeakMb = worker.memoryMb().peak;
    await worker.stop();
    const barePerSecond = await barePasses(api, plan.contracts, plan.contracts * 2);
    const bareEditMs = spread(await bareLatenciesMs(api, plan.contracts, plan.singleEdits));
    const coldStartPerSecond = plan.contracts / coldStartSeconds;
    return {
      api: plan.api,
      contracts: plan.contracts,
      barePerSecond,
      coldStartSeconds,
      coldStartPerSecond,
      efficiency: coldStartPerSecond / barePerSecond,
      workerCpuMsPerPass: (cpuSeconds * 1_000) / plan.contracts,
      workerPeakMb,
      oneEditMs,
      bareEditMs,
      latencyRatio: { p50: oneEditMs.p50 / bareEditMs.p50, p99: oneEditMs.p99 / bareEditMs.p99 },
      stormMs,
      stormEditsPerSecond: plan.stormEditsPerSecond,
    };
  } finally {
    await worker.stop();
    await watch.end();
  }
}
