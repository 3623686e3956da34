import { expect, it } from 'vitest';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { CONTRACTS_A_CLUSTER, contractNames, type Deployed, LIMIT_MS, RECONCILE, right } from './deployed.ts';
import { prepareExternalSecret } from './polled.ts';
import { T4Example } from './t4-example.ts';

/** Of edits, each of which ends with a function in trouble. */
const ROUNDS = 12;

/** Many contracts, come what may. */
export function convergence(deployed: () => Deployed): void {
  it('R-6.3 R-5.5 R-1.10 200 contracts in clusters that were only listed converge while functions are killed, or hang until they time out', async () => {
    const { world, east, west } = deployed();
    await new T4Example(east).apply();
    await world.list(east);
    await world.list(west);
    await world.call('relay');
    await prepareExternalSecret(east);
    for (const name of contractNames(CONTRACTS_A_CLUSTER))
      await Promise.all([east, west].map(({ edits }) => edits.create(name)));
    const entropy = new SeededEntropy(6);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
    for (let round = 1; round <= ROUNDS; round += 1) {
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
      // The last ones hang until they time out.
      if (round < ROUNDS) world.kill(pick([RECONCILE, RECONCILE, 'relay', 'wake']));
      else world.freeze(RECONCILE);
    }
    await world.relieve();
    await right(east);
    await right(west);
    const timedOut = `Lambda evenkeel-${STAGE}-${RECONCILE} timed out`;
    await eventually('time-out', async () => (world.emulator.log().includes(timedOut) ? true : undefined));
    const sum = (name: string) => world.measured(name).reduce((total, { value }) => total + value, 0);
    await world.measures('CrashedPass');
    await world.measures('LeaseTakeover');
    // Nothing of it needs a person.
    expect(sum('NeedsPerson')).toBe(0);
    expect(sum('DeadLetter')).toBe(0);
  });
}
