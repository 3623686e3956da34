import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import type { ClusterApi } from '../lib/ports/cluster-api.ts';
import { buildProgram } from '../test/real-apiserver/build.ts';
import { startRealApiServer } from '../test/real-apiserver/real-api-server.ts';
import { barePasses, clearStatuses, createContracts, StatusWatch } from './contracts.ts';
import { type EditPlan, editOneByOne, storm } from './edits.ts';
import { crashInStorm, deletedWhileDown, type Restartable } from './restarts.ts';
import { Spawned } from './spawned.ts';
import { median } from './statistics.ts';

/** What a controller of SecretContracts used, from the start of its process. Medians over the rounds. */
export interface PeerFigures {
  readonly firstStatusMs: number;
  /** The time until every status is right. */
  readonly coldStartSeconds: number;
  /** Contracts a second after the first status, as a share of the rate of plain GET + GET + PATCH. */
  readonly coldShareOfPlain: number;
  /** CPU until the process prints its line `ready`. */
  readonly startCpuMs: number;
  /** CPU for each contract of the cold start, without the start of the process. */
  readonly cpuMsPerPass: number;
  /** CPU for each edit, one after the other. */
  readonly cpuMsPerEdit: number;
  readonly editP50Ms: number;
  readonly editP99Ms: number;
  readonly stormP50Ms: number;
  readonly stormP99Ms: number;
  /** The same with as many edits a second as 0.35 of the rate of plain requests. */
  readonly mildStormP50Ms: number;
  readonly mildStormP99Ms: number;
  /** The same with 200 edits a second. */
  readonly fastStormP50Ms: number;
  readonly fastStormP99Ms: number;
  /** The time from the start after a kill in such a storm until every edit before it has its status. */
  readonly coveredAfterCrashMs: number;
  /** The time from a start until the contracts of 50 Secrets that were deleted before it say so. */
  readonly deletedWhileDownMs: number;
  readonly peakMb: number;
}

/** Edits a second in the milder storm and in the one with a crash, as a share of the rate of plain requests. */
const MILD_SHARE = 0.35;

const FAST_EDITS_PER_SECOND = 200;

export interface PeersPlan extends EditPlan {
  /** How often each controller runs; the controllers take turns. */
  readonly rounds: number;
  /** The folder for CPU profiles of evenkeel. */
  readonly cpuProfiles?: string | undefined;
}

interface Peer {
  readonly name: string;
  /** @param goesOn whether it keeps the state of the process before. */
  start(goesOn: boolean): Promise<Spawned>;
  /** Called after its process has ended. */
  end(): void;
}

/**
 * Only the controller that the other frameworks have too. All settings are the shipped ones, except the rate limit,
 * which would only slow down the start.
 */
const SETTINGS = { groups: { 'secret-contract': {} }, rateLimit: { burst: 1_000, refill: '10ms' } };

/**
 * Measures the same contracts, edits and API server for evenkeel and for controllers on other frameworks (bench/peers).
 * The API server is a real one. evenkeel runs as `evenkeel start` does: all parts in one process.
 */
export async function measurePeers(plan: PeersPlan): Promise<Record<string, PeerFigures>> {
  const folder = join(import.meta.dirname, 'peers', 'controller-runtime');
  const program = { name: 'controller-runtime', title: 'The controller-runtime peer', folder, module: folder };
  const binary = await buildProgram(program, console.log);
  const real = await startRealApiServer();
  const clock = new SystemClock();
  const { connection } = await loadKubeconfig({ file: real.kubeconfigPath, environment: process.env, clock });
  const connected = connectCluster({
    connection,
    userAgent: 'bench',
    clock,
    connections: 32,
    requestTimeoutMs: 60_000,
  });
  const peers = [evenkeel(real.kubeconfigPath, plan.cpuProfiles), peer(program.name, binary, real.kubeconfigPath)];
  try {
    const first = peers[0]?.start(false);
    // Installs the CRDs.
    await (await first)?.stop();
    peers[0]?.end();
    await createContracts(connected.api, plan.contracts);
    const plainPerSecond = await barePasses(connected.api, plan.contracts, plan.contracts * 2);
    const runs = new Map<string, PeerFigures[]>(peers.map(({ name }) => [name, []]));
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const candidate of peers) {
        await clearStatuses(connected.api, plan.contracts);
        runs.get(candidate.name)?.push(await measurePeer(candidate, plan, plainPerSecond, connected.api));
      }
    }
    return Object.fromEntries([...runs].map(([name, figures]) => [name, medians(figures)]));
  } finally {
    await connected.close();
    await real.stop();
  }
}

function evenkeel(kubeconfig: string, cpuProfiles: string | undefined): Peer {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const settings = join(directory, 'settings.yaml');
  const state = join(directory, 'state');
  const profile = cpuProfiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProfiles}`];
  return {
    name: 'evenkeel',
    start(goesOn) {
      writeFileSync(settings, JSON.stringify(SETTINGS));
      const options = ['--state-dir', state, '--settings', settings, '--kubeconfig', kubeconfig, '--install-crds'];
      return Spawned.start([...options, ...(goesOn ? [] : ['--fresh'])], profile);
    },
    end: () => rmSync(state, { recursive: true, force: true }),
  };
}

function peer(name: string, binary: string, kubeconfig: string): Peer {
  return { name, start: () => Spawned.run(binary, ['-kubeconfig', kubeconfig]), end: () => {} };
}

async function measurePeer(
  candidate: Peer,
  plan: PeersPlan,
  plainPerSecond: number,
  api: ClusterApi,
): Promise<PeerFigures> {
  const watch = new StatusWatch(api);
  await watch.start();
  let controller: Restartable | undefined;
  try {
    const spawned = await candidate.start(false);
    controller = restartable(candidate, spawned);
    const startCpuMs = spawned.cpuSeconds() * 1_000;
    await watch.until(() => watch.rightCount > 0);
    const firstStatusMs = performance.now() - spawned.startedMs;
    await watch.until(() => watch.rightCount === plan.contracts);
    const coldStartSeconds = (performance.now() - spawned.startedMs) / 1_000;
    await spawned.quiet();
    const rightCpuMs = spawned.cpuSeconds() * 1_000;
    const edits = await editOneByOne(plan, api, watch);
    const editedCpuMs = spawned.cpuSeconds() * 1_000;
    const stormed = await storm(plan, api, watch);
    const peakMb = spawned.memoryMb().peak;
    const mild = { ...plan, stormEditsPerSecond: Math.floor(plainPerSecond * MILD_SHARE) };
    const mildly = await storm(mild, api, watch);
    const quickly = await storm({ ...plan, stormEditsPerSecond: FAST_EDITS_PER_SECOND }, api, watch);
    const restarts = { ...plan, editsPerSecond: mild.stormEditsPerSecond };
    const coveredAfterCrashMs = await crashInStorm(restarts, controller, api, watch);
    const deletedWhileDownMs = await deletedWhileDown(restarts, controller, api, watch);
    return {
      firstStatusMs,
      coldShareOfPlain: plan.contracts / (coldStartSeconds - firstStatusMs / 1_000) / plainPerSecond,
      coldStartSeconds,
      startCpuMs,
      cpuMsPerPass: (rightCpuMs - startCpuMs) / plan.contracts,
      cpuMsPerEdit: (editedCpuMs - rightCpuMs) / plan.singleEdits,
      editP50Ms: edits.p50,
      editP99Ms: edits.p99,
      stormP50Ms: stormed.p50,
      stormP99Ms: stormed.p99,
      mildStormP50Ms: mildly.p50,
      mildStormP99Ms: mildly.p99,
      fastStormP50Ms: quickly.p50,
      fastStormP99Ms: quickly.p99,
      coveredAfterCrashMs,
      deletedWhileDownMs,
      peakMb,
    };
  } finally {
    await controller?.running.stop();
    candidate.end();
    await watch.end();
  }
}

function restartable(candidate: Peer, running: Spawned): Restartable {
  const controller: Restartable = {
    running,
    async restart() {
      controller.running = await candidate.start(true);
      return controller.running;
    },
  };
  return controller;
}

function medians(figures: readonly PeerFigures[]): PeerFigures {
  const of = (name: keyof PeerFigures) => median(figures.map((figure) => figure[name]));
  return {
    firstStatusMs: of('firstStatusMs'),
    coldStartSeconds: of('coldStartSeconds'),
    coldShareOfPlain: of('coldShareOfPlain'),
    startCpuMs: of('startCpuMs'),
    cpuMsPerPass: of('cpuMsPerPass'),
    cpuMsPerEdit: of('cpuMsPerEdit'),
    editP50Ms: of('editP50Ms'),
    editP99Ms: of('editP99Ms'),
    stormP50Ms: of('stormP50Ms'),
    stormP99Ms: of('stormP99Ms'),
    mildStormP50Ms: of('mildStormP50Ms'),
    mildStormP99Ms: of('mildStormP99Ms'),
    fastStormP50Ms: of('fastStormP50Ms'),
    fastStormP99Ms: of('fastStormP99Ms'),
    coveredAfterCrashMs: of('coveredAfterCrashMs'),
    deletedWhileDownMs: of('deletedWhileDownMs'),
    peakMb: of('peakMb'),
  };
}

/** A row for each figure: the values of the controllers, and evenkeel's value as a share of each peer's. */
export function peerRows(figures: Readonly<Record<string, PeerFigures>>): Record<string, Record<string, number>> {
  const own = figures.evenkeel;
  if (own === undefined) return {};
  const row = (figure: keyof PeerFigures) =>
    Object.fromEntries(
      Object.entries(figures).flatMap(([name, { [figure]: value }]) => [
        [name, Number(value.toFixed(2))],
        ...(name === 'evenkeel' ? [] : [[`evenkeel / ${name}`, Number((own[figure] / value).toFixed(2))] as const]),
      ]),
    );
  return Object.fromEntries((Object.keys(own) as (keyof PeerFigures)[]).map((figure) => [figure, row(figure)]));
}
