import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { realCluster } from '../test/conformance/real-cluster.ts';
import { embeddedCluster } from '../test/e2e/support/embedded-cluster.ts';
import { type ClusterRequest, type TestCluster, writesAmong } from '../test/e2e/support/test-cluster.ts';
import { createContracts, StatusWatch } from './contracts.ts';
import { Spawned } from './spawned.ts';

export interface IdleFigures {
  readonly api: 'embedded' | 'real';
  readonly resources: number;
  readonly minutes: number;
  /** By the API server's own record; for a real one, by its audit log. */
  readonly requestsPerMinute: number;
  /** The writes among them, without evenkeel's own Leases. */
  readonly writesPerMinute: number;
  /** The requests, such as `list secrets`, with their number in the whole time. */
  readonly requests: Readonly<Record<string, number>>;
}

export interface IdlePlan {
  readonly api: 'embedded' | 'real';
  readonly resources: number;
  readonly minutes: number;
}

/** The shipped settings, except the rate limit, which would only slow down the start. */
const SETTINGS = { rateLimit: { burst: 1_000, refill: '10ms' } };

/** Runs all parts of an installation, with resync, over objects that are right and that nobody changes. */
export async function measureIdle(plan: IdlePlan): Promise<IdleFigures> {
  await using cluster: TestCluster = plan.api === 'real' ? await realCluster() : await embeddedCluster();
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
  const settings = join(directory, 'settings.yaml');
  writeFileSync(settings, JSON.stringify(SETTINGS));
  const common = ['--state-dir', directory, '--settings', settings];
  const stack = await Spawned.start(['--parts', 'stack', ...common, '--kubeconfig', cluster.kubeconfig]);
  try {
    await createContracts(cluster.user, plan.resources);
    return await measure(plan, cluster, common);
  } finally {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(plan: IdlePlan, cluster: TestCluster, common: readonly string[]): Promise<IdleFigures> {
  const watch = new StatusWatch(cluster.user);
  await watch.start();
  const parts = await Spawned.start(['--parts', 'relay,worker,wake,sweep,resync', ...common]);
  try {
    await watch.until(() => watch.rightCount === plan.resources);
    await parts.quiet();
    const mark = await cluster.mark();
    await delay(plan.minutes * 60_000);
    const requests = await cluster.requestsSince(mark);
    return {
      ...plan,
      requestsPerMinute: requests.length / plan.minutes,
      writesPerMinute: writesAmong(requests).length / plan.minutes,
      requests: countsByName(requests),
    };
  } finally {
    await parts.stop();
    await watch.end();
  }
}

function countsByName(requests: readonly ClusterRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verb, resource } of requests) {
    const name = `${verb} ${resource}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
