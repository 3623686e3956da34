import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../lib/adapters/kubernetes/connect-cluster.ts';
import { loadKubeconfig } from '../lib/adapters/kubernetes/connection/load-kubeconfig.ts';
import { openSqliteState } from '../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { SecretContractGrants, SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import { Namespaces, Secrets } from '../lib/core/resource-type.ts';
import { LANES, LOCAL_STAGE, queueName, TABLE_SHARDS } from '../lib/deployment/installation/resource-names.ts';
import type { ClusterApi } from '../lib/ports/cluster-api.ts';
import { createContracts, editContract, StatusWatch } from './contracts.ts';
import { ENTRY, Spawned } from './spawned.ts';
import { inParallel, type Spread, spread } from './statistics.ts';

export interface AmplificationPlan {
  readonly readers: number;
  readonly loadSeconds: number;
  readonly revoked: number;
  readonly floodObjects: number;
}

export interface AmplificationFigures extends AmplificationPlan {
  /** The time from another tenant's edit until its status shows, while the shared Secret is edited twice a second. */
  readonly otherTenantMs: Spread;
  readonly otherTenantMaxMs: number;
  /** The largest number of messages in all queues of the group. */
  readonly backlog: number;
  readonly workerPeakMb: number;
  /**
   * The time from the deletion of a grant until no contract that depends on it is ready, during a first list of many
   * objects.
   */
  readonly revocationSeconds: number;
  /** The messages of the first list that were still waiting then. */
  readonly floodLeft: number;
}

const OPTIONS = { fieldManager: 'bench' };
const SETTINGS = { intervals: { resync: 'off', targetResync: '6h' }, rateLimit: { burst: 1_000, refill: '10ms' } };
const OTHER_TENANT = 50;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Measures how one tenant's changes affect another tenant, on one machine: the API server in one process, the rest in
 * another, the state in one file.
 */
export async function measureAmplification(plan: AmplificationPlan): Promise<AmplificationFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const settings = join(directory, 'settings.yaml');
  writeFileSync(settings, JSON.stringify(SETTINGS));
  const common = ['--state-dir', directory, '--settings', settings];
  const stack = await Spawned.start(['--parts', 'stack', ...common, '--empty']);
  const clock = new SystemClock();
  const file = join(directory, 'kubeconfig');
  const { connection } = await loadKubeconfig({ file, environment: process.env, clock });
  const connected = connectCluster({
    connection,
    userAgent: 'bench',
    clock,
    connections: 32,
    requestTimeoutMs: 60_000,
  });
  const queues = await openQueues(directory, clock);
  try {
    const load = await measureLoad(plan, connected.api, common, queues);
    const revocation = await measureRevocation(plan, connected.api, common, queues);
    return { ...plan, ...load, ...revocation };
  } finally {
    queues.close();
    await connected.close();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function openQueues(directory: string, clock: SystemClock) {
  const state = await openSqliteState({ directory, clock, entropy: new SystemEntropy(), shards: TABLE_SHARDS });
  const names = LANES.map((lane) => queueName(LOCAL_STAGE, 'secret-contract', lane));
  const lanes = await Promise.all(names.map((name) => state.fifoQueue(name)));
  return {
    async waiting(): Promise<number> {
      const counts = await Promise.all(lanes.map((queue) => queue.waiting()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close: () => state.close(),
  };
}

type Queues = Awaited<ReturnType<typeof openQueues>>;

async function measureLoad(plan: AmplificationPlan, api: ClusterApi, common: readonly string[], queues: Queues) {
  await createContracts(api, OTHER_TENANT);
  await namespace(api, 'loud');
  await secret(api, 'loud', 'shared');
  await contracts(api, 'loud', plan.readers, { name: 'shared' });
  const worker = await Spawned.start(['--parts', 'relay,worker,wake,sweep', ...common]);
  const watch = new StatusWatch(api);
  await watch.start();
  try {
    await readyCount(api, 'loud', (ready) => ready === plan.readers);
    await watch.until(() => watch.rightCount === OTHER_TENANT);
    const stop = new AbortController();
    let backlog = 0;
    const loud = every(500, stop.signal, async (round) => {
      const patch = { metadata: { labels: { edited: String(round) } } };
      await api.patch(Secrets, { namespace: 'loud', name: 'shared' }, { type: 'merge', patch }, OPTIONS);
    });
    const counting = every(1_000, stop.signal, async () => {
      backlog = Math.max(backlog, await queues.waiting());
    });
    const latencies: number[] = [];
    const until = performance.now() + plan.loadSeconds * 1_000;
    for (let edit = 1; performance.now() < until; edit += 1) {
      const started = performance.now();
      const generation = await editContract(api, edit % OTHER_TENANT, edit);
      await watch.until(() => watch.isPublished(edit % OTHER_TENANT, generation));
      latencies.push(performance.now() - started);
      await sleep(500);
    }
    stop.abort();
    await Promise.all([loud, counting]);
    const workerPeakMb = worker.memoryMb().peak;
    return { otherTenantMs: spread(latencies), otherTenantMaxMs: Math.max(...latencies), backlog, workerPeakMb };
  } finally {
    await watch.end();
    await worker.stop();
  }
}

/** A thousand contracts depend on a grant in another namespace, which each of them lists. */
async function measureRevocation(plan: AmplificationPlan, api: ClusterApi, common: readonly string[], queues: Queues) {
  for (const name of ['vault', 'held', 'flood']) await namespace(api, name);
  await secret(api, 'vault', 'shared');
  const grant = await api.create(
    SecretContractGrants,
    {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'SecretContractGrant',
      metadata: { namespace: 'vault', name: 'all' },
      spec: { from: [{ namespace: 'held' }], secretNames: ['shared'] },
    },
    OPTIONS,
  );
  await contracts(api, 'held', plan.revoked, { namespace: 'vault', name: 'shared' });
  const first = await Spawned.start(['--parts', 'relay,worker,wake,sweep', ...common]);
  await readyCount(api, 'held', (ready) => ready === plan.revoked);
  await first.stop();
  await secret(api, 'flood', 'shared');
  await contracts(api, 'flood', plan.floodObjects, { name: 'shared' });
  // After a reported restore, the relay lists everything again, and nothing counts as seen.
  execFileSync(process.execPath, [ENTRY, 'restored', '--state-dir', common[1] ?? '']);
  const worker = await Spawned.start(['--parts', 'relay,worker,wake,sweep', ...common]);
  try {
    await sleep(10_000);
    const started = performance.now();
    const { uid } = grant.metadata;
    await api.delete(SecretContractGrants, { namespace: 'vault', name: 'all' }, { preconditions: { uid } });
    await readyCount(api, 'held', (ready) => ready === 0);
    return { revocationSeconds: (performance.now() - started) / 1_000, floodLeft: await queues.waiting() };
  } finally {
    await worker.stop();
  }
}

async function namespace(api: ClusterApi, name: string): Promise<void> {
  await api.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, OPTIONS);
}

async function secret(api: ClusterApi, inNamespace: string, name: string): Promise<void> {
  const metadata = { namespace: inNamespace, name };
  await api.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: 'cw==' } }, OPTIONS);
}

async function contracts(api: ClusterApi, inNamespace: string, count: number, secretRef: object): Promise<void> {
  await inParallel(count, 16, async (index) => {
    const metadata = { namespace: inNamespace, name: `contract-${index}` };
    const spec = { secretRef, keys: [{ name: 'password' }] } as never;
    const object = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'SecretContract', metadata, spec };
    await api.create(SecretContracts, object, OPTIONS);
  });
}

/** Resolves when `count` contracts of a namespace are ready. */
async function readyCount(api: ClusterApi, inNamespace: string, isEnough: (ready: number) => boolean): Promise<void> {
  for (;;) {
    let ready = 0;
    let continueToken: string | undefined;
    do {
      const page = await api.list(SecretContracts, {
        namespace: inNamespace,
        limit: 500,
        ...(continueToken !== undefined && { continueToken }),
      });
      for (const { status } of page.items) {
        const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
        if (conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')) ready += 1;
      }
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
    if (isEnough(ready)) return;
    await sleep(250);
  }
}

async function every(ms: number, signal: AbortSignal, work: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    const started = performance.now();
    await work(round);
    await sleep(Math.max(0, ms - (performance.now() - started)));
  }
}
