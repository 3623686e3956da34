import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { Namespaces, Secrets } from '../lib/core/resource-type.ts';
import { startRealApiServer } from '../test/real-apiserver/real-api-server.ts';
import { BENCH_NAMESPACE } from './contracts.ts';
import { ENTRY, Spawned } from './spawned.ts';
import { inParallel } from './statistics.ts';

export interface RelayFigures {
  readonly api: 'embedded' | 'real';
  readonly objects: number;
  /** The highest resident memory after the whole list was read. */
  readonly peakMb: number;
  /** The same with a heap that is limited to `SMALL_HEAP`. */
  readonly smallHeapPeakMb: number;
  /** The used part of the heap and of buffers after that. */
  readonly keptMb: number;
  readonly cpuMsPerListedObject: number;
}

const OBJECT_BYTES = 4_096;
const SMALL_HEAP = ['--max-old-space-size=48', '--max-semi-space-size=1'];

/** Runs only the relay, with `count` Secrets of 4 KB to list: its memory must not grow with their number. */
export async function measureRelay(api: 'embedded' | 'real', sizes: readonly number[]): Promise<RelayFigures[]> {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const settings = join(directory, 'settings.yaml');
  writeFileSync(settings, JSON.stringify({ intervals: { resync: 'off' } }));
  const real = api === 'real' ? await startRealApiServer() : undefined;
  const common = ['--state-dir', directory, '--settings', settings];
  const stack = await Spawned.start([
    '--parts',
    'stack',
    ...common,
    ...(real === undefined ? ['--empty'] : ['--kubeconfig', real.kubeconfigPath, '--install-crds']),
  ]);
  const clock = new SystemClock();
  const file = real?.kubeconfigPath ?? join(directory, 'kubeconfig');
  const { connection } = await loadKubeconfig({ file, environment: process.env, clock });
  const connected = connectCluster({
    connection,
    userAgent: 'bench',
    clock,
    connections: 32,
    requestTimeoutMs: 60_000,
  });
  try {
    await connected.api.create(
      Namespaces,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: BENCH_NAMESPACE } },
      { fieldManager: 'bench' },
    );
    const figures: RelayFigures[] = [];
    let existing = 0;
    for (const objects of sizes) {
      const from = existing;
      await inParallel(objects - from, 16, async (index) => {
        const metadata = { namespace: BENCH_NAMESPACE, name: `big-${from + index}` };
        const data = { value: Buffer.alloc(OBJECT_BYTES, 97).toString('base64') };
        await connected.api.create(
          Secrets,
          { apiVersion: 'v1', kind: 'Secret', metadata, data },
          { fieldManager: 'bench' },
        );
      });
      existing = objects;
      figures.push(await measureList(api, objects, common));
    }
    return figures;
  } finally {
    await connected.close();
    await stack.stop();
    await real?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureList(
  api: RelayFigures['api'],
  objects: number,
  common: readonly string[],
): Promise<RelayFigures> {
  const { peakMb, keptMb, cpuSeconds } = await listOnce(common);
  const small = await listOnce(common, SMALL_HEAP);
  return {
    api,
    objects,
    peakMb,
    smallHeapPeakMb: small.peakMb,
    keptMb,
    cpuMsPerListedObject: (cpuSeconds * 1_000) / objects,
  };
}

async function listOnce(common: readonly string[], nodeOptions: readonly string[] = []) {
  // The table has checkpoints from the last run. After a reported restore, the relay lists everything again.
  execFileSync(process.execPath, [ENTRY, 'restored', '--state-dir', common[1] ?? '']);
  const relay = await Spawned.start(['--parts', 'relay', ...common], nodeOptions);
  try {
    const startedCpu = relay.cpuSeconds();
    await relay.quiet();
    const cpuSeconds = relay.cpuSeconds() - startedCpu;
    const peakMb = relay.memoryMb().peak;
    return { peakMb, cpuSeconds, keptMb: await relay.keptMb() };
  } finally {
    await relay.stop();
  }
}
