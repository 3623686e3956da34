import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../lib/controllers/secret-contract/secret-contract-controller.ts';
import { Secrets } from '../lib/core/resource-type.ts';
import { World } from '../lib/testing/world.ts';

/**
 * The requests of one handled message, starting with the acquire. The message's own send, receive and delete are not
 * included.
 */
export interface RequestCounts {
  readonly tableWrites: number;
  /** Writes that their condition refused. */
  readonly refusedWrites: number;
  /** Writes that changed a timer, which also write the index. */
  readonly indexWrites: number;
  readonly tableReads: number;
  readonly queueRequests: number;
  readonly kubernetesReads: number;
  readonly kubernetesWrites: number;
}

export const OUTCOMES = ['first pass', 'no-op pass', 'covered event', 'dependency change', 'retry'] as const;
export type CountedOutcome = (typeof OUTCOMES)[number];

const WRITES = new Set(['UpdateItem', 'PutItem', 'DeleteItem']);
const CONTRACT = { namespace: 'default', name: 'contract' };
const SECRET = { namespace: 'default', name: 'secret' };

const definition = (name: string): object =>
  parse(readFileSync(new URL(`../infra/kubernetes/crds/${name}.evenkeel.dev.yaml`, import.meta.url), 'utf8')) as object;

export function contractDefinitions(): object[] {
  return [definition('secretcontracts'), definition('secretcontractgrants')];
}

/** The requests for each outcome of a SecretContract's pass, counted on the real engine with in-memory parts. */
export async function countRequests(): Promise<Record<CountedOutcome, RequestCounts>> {
  let table: { operation: string; refused: boolean; deadline: boolean }[] = [];
  let queue = 0;
  const world = new World({
    controllers: [secretContractController({ allowMutation: false, digestKey: 'bench-bench-bench-bench' })],
    pass: { targetResyncMs: 6 * 3_600_000 },
    onRequest: (service, operation, { refused = false, deadline = false }) => {
      if (service === 'sqs') queue += 1;
      else table.push({ operation, refused, deadline });
    },
  });
  await world.install(contractDefinitions());
  const worker = world.worker();
  await world.store.readCluster('test');

  const count = async (run: () => Promise<unknown>): Promise<RequestCounts> => {
    table = [];
    queue = 0;
    world.server.requests.clear();
    await run();
    const writes = table.filter(({ operation }) => WRITES.has(operation));
    const kubernetes = world.server.requests.find({ userAgent: 'evenkeel' });
    const kubernetesWrites = world.server.requests.writes({ userAgent: 'evenkeel' }).length;
    return {
      tableWrites: writes.length,
      refusedWrites: writes.filter(({ refused }) => refused).length,
      indexWrites: writes.filter(({ deadline, refused }) => deadline && !refused).length,
      tableReads: table.length - writes.length,
      queueRequests: queue,
      kubernetesReads: kubernetes.length - kubernetesWrites,
      kubernetesWrites,
    };
  };

  const secret = await world.create(Secrets, { metadata: SECRET, data: { password: 'cw==' } });
  // Another contract's pass has already read the cluster's health, so the worker is warm here.
  const warm = await world.create(SecretContracts, {
    metadata: { namespace: 'default', name: 'warm' },
    spec: { secretRef: { name: 'other' }, keys: [{ name: 'password' }] },
  });
  await worker.handle(world.event(SecretContracts, warm));
  const contract = await world.create(SecretContracts, {
    metadata: CONTRACT,
    spec: { secretRef: { name: SECRET.name }, keys: [{ name: 'password' }] },
  });
  const first = await count(() => worker.handle(world.event(SecretContracts, contract)));
  const noop = await count(() => worker.handle(world.event(SecretContracts, contract, { cause: 'requested' })));
  const written = await world.read(SecretContracts, contract);
  const covered = await count(() => worker.handle(world.event(SecretContracts, written)));
  const changed = await world.edit(Secrets, secret, { data: { password: null, other: 'cw==' } });
  const event = world.dependencyEvent({ type: SecretContracts, object: contract }, { type: Secrets, object: changed });
  const dependency = await count(() => worker.handle(event));
  world.server.inject({
    match: ({ resource, verb }) => resource === 'secrets' && verb === 'get',
    fault: { status: 500, reason: 'InternalError' },
  });
  await worker.handle(world.event(SecretContracts, contract, { cause: 'requested' }));
  const failing = await count(() => worker.handle(world.event(SecretContracts, contract, { cause: 'requested' })));
  return {
    'first pass': first,
    'no-op pass': noop,
    'covered event': covered,
    'dependency change': dependency,
    retry: failing,
  };
}
