import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openSqliteState } from '../../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../../lib/adapters/system/system-entropy.ts';
import { LOCAL_STAGE, TABLE_SHARDS } from '../../lib/deployment/installation/resource-names.ts';
import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { Contracts } from '../e2e/support/contracts.ts';
import { EvenkeelFolder, type EvenkeelProcess } from '../e2e/support/evenkeel-process.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { createNamespace } from '../e2e/support/prepare-user-cluster.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { realCluster } from './real-cluster.ts';
import { recomputedFaults } from './storm/recomputed-faults.ts';
import { UserStorm } from './storm/user-storm.ts';

/** One minute. docs/measurements.md has the figures of a longer run. */
const SECONDS = Number(process.env.EVENKEEL_STORM_SECONDS ?? 60);
const SEED = 20_261_129;
const NAMESPACES = 5;
const CONTRACTS_A_NAMESPACE = 100;
const EDITS_A_SECOND = 100;
const USERS_AT_ONCE = 60;
const KILL_EVERY_MS = 20_000;
const CUT_EVERY_MS = 700;
const CUT_SHARE = 0.3;
/** The least number of each. A busy machine needs longer for them; the output shows how many there were per second. */
const LEAST = { edits: SECONDS * 10, kills: Math.max(1, Math.floor((SECONDS * 1_000) / KILL_EVERY_MS) - 1) };
/** After this time the test gives up waiting for a correct state. */
const CALM_LIMIT_MS = 400_000;

/**
 * Resync and the timers of objects are off, because they would hide a lost wakeup. The intervals are long enough for a
 * machine that runs other tests, and short enough for takeovers to happen. Bookmarks arrive every minute.
 */
const SETTINGS = `
intervals: {sweep: 1s, resync: off, targetResync: off}
timings: {passLimit: 8s, lease: 12s, grace: 1s, visibility: 25s, clockSkew: 500ms, mutationMargin: 1s}
relay: {lease: 10s, idleTimeout: 75s}
rateLimit: {burst: 1000}
`;

it(`R-5.5 R-1.8 R-1.11 R-5.7 up to ${EDITS_A_SECOND} edits a second over ${NAMESPACES * CONTRACTS_A_NAMESPACE} contracts for ${SECONDS} s, connections cut at random and the worker killed every ${KILL_EVERY_MS / 1_000} s, end with every status right`, {
  timeout: SECONDS * 2_000 + 3 * CALM_LIMIT_MS,
}, async () => {
  await using cluster = await realCluster();
  const { url, caPem, adminToken } = cluster.server;
  await using proxy = await FaultProxy.before({ host: '127.0.0.1', port: Number(new URL(url).port) });
  await using folder = new EvenkeelFolder();
  const kubeconfig = join(folder.path, 'cluster.kubeconfig');
  await writeFile(kubeconfig, kubeconfigThrough(proxy.port, caPem, adminToken));
  await writeFile(join(folder.path, 'settings.yaml'), SETTINGS);
  await folder.start(['--parts', 'stack', '--kubeconfig', kubeconfig, '--settings', 'settings.yaml']);
  await folder.start(['--parts', 'relay,wake,sweep']);
  const worker = new MortalWorker(folder);
  await worker.start();

  const entropy = new SeededEntropy(SEED);
  const users = Array.from({ length: NAMESPACES }, (_, index) => new Contracts(cluster.user, `storm-${index}`));
  for (const { namespace } of users) await createNamespace(cluster.user, namespace);
  const storm = new UserStorm(users, CONTRACTS_A_NAMESPACE, entropy);
  await storm.create(USERS_AT_ONCE);
  const faults = async () =>
    (await Promise.all(users.map(({ namespace }) => recomputedFaults(cluster.user, namespace)))).flat();
  await calm(faults, folder);

  const startMs = new SystemClock().now();
  const over = new AbortController();
  const cutting = cutConnections(proxy, new SeededEntropy(SEED + 1), over.signal);
  const killing = worker.dieAgainAndAgain(over.signal);
  await storm.blow(
    EDITS_A_SECOND,
    USERS_AT_ONCE,
    (passedMs) => passedMs >= SECONDS * 1_000 && storm.figures.edits >= LEAST.edits && worker.kills >= LEAST.kills,
  );
  over.abort();
  const stormMs = new SystemClock().now() - startMs;
  const [cuts] = await Promise.all([cutting, killing]);
  const calmMs = await calm(faults, folder);

  const dead = await deadLetters(join(folder.path, '.evenkeel'));
  const { kills } = worker;
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(JSON.stringify({ seconds: stormMs / 1_000, ...storm.figures, cuts, kills, calmMs, dead, load }));
  expect(dead).toBe(0);
  expect(cuts).toBeGreaterThan(0);
});

/** A worker that the test kills while it works and then starts again. */
class MortalWorker {
  kills = 0;
  private readonly folder: EvenkeelFolder;
  private process: EvenkeelProcess | undefined;

  constructor(folder: EvenkeelFolder) {
    this.folder = folder;
  }

  async start(): Promise<void> {
    this.process = await this.folder.start(['--parts', 'worker']);
  }

  async dieAgainAndAgain(signal: AbortSignal): Promise<void> {
    const clock = new SystemClock();
    while (!signal.aborted) {
      await clock.sleep(KILL_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.process?.kill();
      this.kills += 1;
      await this.start();
    }
  }
}

/** @returns how many connections were cut. */
async function cutConnections(proxy: FaultProxy, entropy: SeededEntropy, signal: AbortSignal): Promise<number> {
  const clock = new SystemClock();
  let cuts = 0;
  while (!signal.aborted) {
    await clock.sleep(CUT_EVERY_MS * 2 * entropy.random(), signal).catch(() => {});
    proxy.resetSome(() => {
      const isCut = entropy.random() < CUT_SHARE;
      if (isCut) cuts += 1;
      return isCut;
    });
  }
  return cuts;
}

/** Waits until every contract is correct. @returns how long that took, in milliseconds. */
async function calm(faults: () => Promise<string[]>, folder: EvenkeelFolder): Promise<number> {
  const clock = new SystemClock();
  const startMs = clock.now();
  let last: string[] = [];
  const check = async () => {
    last = await faults();
    return last.length === 0 ? true : undefined;
  };
  await eventually('calm', check, CALM_LIMIT_MS).catch(async (error: unknown) => {
    const shown = last.slice(0, 3);
    const explained = shown.map(async (fault) => (await folder.run(['explain', `secon/${fault.split(':')[0]}`])).out);
    const told = folder.processes.flatMap(({ errLines }) => errLines.slice(-10));
    const details = [...shown, ...(await Promise.all(explained)), ...told].join('\n');
    throw new Error(`${last.length} statuses are wrong, such as ${details}`, { cause: error });
  });
  return clock.now() - startMs;
}

async function deadLetters(directory: string): Promise<number> {
  const options = { clock: new SystemClock(), entropy: new SystemEntropy(), shards: TABLE_SHARDS };
  const state = await openSqliteState({ directory, ...options });
  const queues = await state.deadLetters.queues(LOCAL_STAGE);
  state.close();
  return queues.reduce((sum, { count }) => sum + count, 0);
}

function kubeconfigThrough(port: number, caPem: string, token: string): string {
  const server = `https://127.0.0.1:${port}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'storm', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'storm', user: { token } }],
    contexts: [{ name: 'storm', context: { cluster: 'storm', user: 'storm' } }],
    'current-context': 'storm',
  });
}
