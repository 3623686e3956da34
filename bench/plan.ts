import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { KubernetesClusterApi } from '../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { ReadOnlyTransport } from '../lib/adapters/kubernetes/read-only-transport.ts';
import { ConnectionGuard } from '../lib/adapters/system/connection-guard.ts';
import { SystemClock } from '../lib/adapters/system/system-clock.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';
import { SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../lib/controllers/secret-contract/secret-contract-controller.ts';
import { Secrets } from '../lib/core/resource-type.ts';
import type { Target } from '../lib/core/target.ts';
import { DEFAULT_PASS_OPTIONS } from '../lib/engine/pass/pass-runner.ts';
import { Registry } from '../lib/engine/registry.ts';
import { planCluster } from '../lib/plan/plan-cluster.ts';
import { TEST_CLUSTER, World } from '../lib/testing/world.ts';

export interface PlanFigures {
  readonly objects: number;
  readonly seconds: number;
  /** The memory of the plan at its end. It includes the cluster that the plan reads, which is in the same process. */
  readonly heapMb: number;
  /** Requests to the cluster. */
  readonly gets: number;
  readonly lists: number;
  readonly unchanged: number;
  readonly changed: number;
}

/** Makes a plan with the running version for contracts that have settled, each with its own Secret. */
export async function measurePlan(count: number): Promise<PlanFigures> {
  const controllers = [secretContractController({ allowMutation: false, digestKey: 'bench-bench-bench-bench' })];
  const world = new World({ controllers });
  await world.install(
    ['secretcontracts', 'secretcontractgrants'].map((name) => {
      const file = new URL(`../infra/kubernetes/crds/${name}.evenkeel.dev.yaml`, import.meta.url);
      return parse(readFileSync(file, 'utf8')) as object;
    }),
  );
  const worker = world.worker();
  for (let index = 0; index < count; index += 1) {
    const secret = { namespace: 'default', name: `secret-${index}` };
    await world.create(Secrets, { metadata: secret, data: { password: 'cw==' } });
    const contract = await world.create(SecretContracts, {
      metadata: { namespace: 'default', name: `contract-${index}` },
      spec: { secretRef: { name: secret.name }, keys: [{ name: 'password' }] },
    });
    await worker.handle(world.event(SecretContracts, contract));
  }
  const { targets } = world.memory.contents();
  const recorded = async function* () {
    yield* targets;
  };
  let gets = 0;
  let lists = 0;
  world.server.requests.clear();
  using guard = new ConnectionGuard<Target>();
  const counted = new ReadOnlyTransport({
    send: (request) => {
      if (/\/(?:secretcontracts|secrets)\/[^?]/.test(request.path)) gets += 1;
      else lists += 1;
      return world.server.send(request);
    },
  });
  const clock = new SystemClock();
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const started = performance.now();
  const report = await planCluster({
    cluster: TEST_CLUSTER,
    live: new KubernetesClusterApi({ transport: counted, clock, userAgent: 'bench' }),
    registry: () => new Registry(controllers),
    definitions: new Map(),
    pass: { ...DEFAULT_PASS_OPTIONS, targetResyncMs: undefined },
    recorded: recorded(),
    guard,
    clock,
    entropy: new SystemEntropy(),
    signal: new AbortController().signal,
  });
  const seconds = (performance.now() - started) / 1_000;
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  const { unchanged, changed } = report;
  return { objects: count, seconds, heapMb, gets, lists, unchanged, changed };
}
