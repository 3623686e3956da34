import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SecretContracts } from '../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../lib/controllers/secret-contract/secret-contract-controller.ts';
import type { KubeObject } from '../lib/core/kube-object.ts';
import { Secrets } from '../lib/core/resource-type.ts';
import { World } from '../lib/testing/world.ts';

export interface InMemoryFigures {
  readonly passesPerSecond: number;
  readonly cpuMsPerPass: number;
  /** The rate of GET, GET, status PATCH through the same adapter to the same in-process API server. */
  readonly barePerSecond: number;
  readonly ratio: number;
}

/**
 * Measures first passes of the engine on in-memory parts, and the bare requests on the same parts. One thread does
 * everything.
 */
export async function measureInMemory(count: number): Promise<InMemoryFigures> {
  const world = new World({
    controllers: [secretContractController({ allowMutation: false, digestKey: 'bench-bench-bench-bench' })],
  });
  const definitions = ['secretcontracts', 'secretcontractgrants'].map(
    (name) =>
      parse(
        readFileSync(new URL(`../infra/kubernetes/crds/${name}.evenkeel.dev.yaml`, import.meta.url), 'utf8'),
      ) as object,
  );
  await world.install(definitions);
  const contracts: KubeObject[] = [];
  for (let index = 0; index < count; index += 1) {
    const secret = { namespace: 'default', name: `secret-${index}` };
    await world.create(Secrets, { metadata: secret, data: { password: 'cw==' } });
    const metadata = { namespace: 'default', name: `contract-${index}` };
    contracts.push(
      await world.create(SecretContracts, {
        metadata,
        spec: { secretRef: { name: secret.name }, keys: [{ name: 'password' }] },
      }),
    );
  }
  const worker = world.worker();
  await worker.handle(world.event(SecretContracts, contracts[0] ?? raise()));
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (const contract of contracts) await worker.handle(world.event(SecretContracts, contract, { cause: 'requested' }));
  const seconds = (performance.now() - started) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);

  const bareStarted = performance.now();
  for (const contract of contracts) {
    const read = await world.api.get(SecretContracts, { namespace: 'default', name: contract.metadata.name });
    await world.api.get(Secrets, { namespace: 'default', name: contract.metadata.name.replace('contract', 'secret') });
    const status = { ...(read.status as object), lastCheckedTime: '2026-01-02T00:00:00Z' };
    await world.api.patch(
      SecretContracts,
      { namespace: 'default', name: contract.metadata.name },
      { type: 'merge', patch: { status } as never },
      { fieldManager: 'bench', subresource: 'status' },
    );
  }
  const barePerSecond = (count / (performance.now() - bareStarted)) * 1_000;
  const passesPerSecond = count / seconds;
  return {
    passesPerSecond,
    cpuMsPerPass: (cpu.user + cpu.system) / 1_000 / count,
    barePerSecond,
    ratio: passesPerSecond / barePerSecond,
  };
}

function raise(): never {
  throw new Error('at least one contract is needed');
}
