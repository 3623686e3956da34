import { expect, it } from 'vitest';
import { contractDefinitions } from '../../../bench/request-counts.ts';
import { SecretContractGrants, SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { secretContractController } from '../../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { Namespaces, Secrets } from '../../../lib/core/resource-type.ts';
import { World } from '../../../lib/testing/world.ts';
import { DIGEST_KEY } from './pass.ts';

/** The requests of a second pass: those before its contract is returned, and all of them at the end. */
async function secondPass(namespace: string) {
  const world = new World({ controllers: [secretContractController({ allowMutation: true, digestKey: DIGEST_KEY })] });
  await world.install(contractDefinitions());
  if (namespace !== 'default') {
    await world.create(Namespaces, { metadata: { name: namespace } });
    const from = [{ namespace: 'default', name: 'db' }];
    await world.create(SecretContractGrants, {
      metadata: { namespace, name: 'grant' },
      spec: { from, secretNames: ['db'] },
    });
  }
  await world.create(Secrets, { metadata: { namespace, name: 'db' }, data: { password: 'cw==' } });
  const contract = await world.create(SecretContracts, {
    metadata: { namespace: 'default', name: 'db' },
    spec: { secretRef: { namespace, name: 'db' }, keys: [{ name: 'password' }] },
  });
  const worker = world.worker();
  expect(await worker.handle(world.event(SecretContracts, contract))).toMatchObject({ end: 'committed', writes: 1 });
  world.server.requests.clear();
  const answered = Promise.withResolvers<void>();
  world.server.inject({
    match: { resource: 'secretcontracts', verb: 'get' },
    fault: { delay: answered.promise },
    times: 1,
  });
  const passing = worker.handle(world.event(SecretContracts, contract, { cause: 'requested' }));
  const asked = () => world.server.requests.find({ userAgent: 'evenkeel' }).map(({ resource }) => resource);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const early = asked().sort();
  answered.resolve();
  await passing;
  return { early, all: asked() };
}

it('R-5.11 pass of a SecretContract asks for its Secret with the contract when both are in one namespace', async () => {
  const { early, all } = await secondPass('default');
  expect(early).toContain('secrets');
  expect(all.toSorted()).toEqual(['secretcontracts', 'secrets']);
});

it('R-2.11 pass of a SecretContract asks for a Secret of another namespace when it has read the grant', async () => {
  const { early, all } = await secondPass('other');
  expect(early).not.toContain('secrets');
  expect(all).toEqual(['secretcontracts', 'secretcontractgrants', 'secrets']);
});
