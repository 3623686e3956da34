import { it } from 'vitest';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { CONTRACTS_A_CLUSTER, contractNames, type Deployed, LIMIT_MS, RECONCILE, right } from './deployed.ts';
import { prepareExternalSecret } from './polled.ts';

/** Many contracts, come what may. */
export function convergence(deployed: () => Deployed): void {
  it('R-6.3 R-5.5 R-1.10 200 contracts in clusters that were only listed come right while functions are killed at random', async () => {
    const { world, east, west } = deployed();
    await world.list(east);
    await world.list(west);
    await world.call('relay');
    await prepareExternalSecret(east);
    for (const name of contractNames(CONTRACTS_A_CLUSTER))
      await Promise.all([east, west].map(({ edits }) => edits.create(name)));
    const entropy = new SeededEntropy(6);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
    for (let round = 0; round < 12; round += 1) {
      for (let edit = 0; edit < 10; edit += 1) {
        const { edits } = pick([east, west]);
        const name = pick(contractNames(CONTRACTS_A_CLUSTER));
        const choice = entropy.random();
        if (choice < 0.5) await edits.toggleSecret(name);
        else if (choice < 0.9) await edits.toggleContract(name);
        else await edits.recreateContract(name);
      }
      // In the middle of something.
      const before = world.gatekeeper.calls.length;
      await eventually('work', async () => (world.gatekeeper.calls.length > before + 20 ? true : undefined), LIMIT_MS);
      world.kill(pick([RECONCILE, RECONCILE, 'relay', 'wake']));
    }
    await world.relieve();
    await right(east);
    await right(west);
  });
}
