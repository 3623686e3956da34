import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededEntropy } from '../../lib/testing/seeded-entropy.ts';
import { CloudWorld, type UserCluster } from './support/cloud-world.ts';

const CONTRACTS_A_CLUSTER = 100;
const RECONCILE = 'reconcile-secret-contract';

let world: CloudWorld;
let east: UserCluster;
let west: UserCluster;

beforeAll(async () => {
  world = await CloudWorld.start();
  [, east, west] = await Promise.all([world.deploy(), world.startCluster('east'), world.startCluster('west')]);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** A few at a time, so that looking does not slow down what is looked at. */
async function allRight({ edits }: UserCluster): Promise<void> {
  for (let from = 0; from < edits.names.length; from += 10) await edits.right(edits.names.slice(from, from + 10));
}

describe('a deployment on an emulator of AWS', () => {
  it('R-6.3 R-5.5 R-1.10 200 contracts in two clusters that were only listed come right while functions are killed at random', async () => {
    await world.list(east);
    await world.list(west);
    const entropy = new SeededEntropy(6);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(entropy.random() * items.length)] as Item;
    const names = Array.from({ length: CONTRACTS_A_CLUSTER }, (_, index) => `web-${index}`);
    for (const name of names) await Promise.all([east.edits.create(name), west.edits.create(name)]);
    // The first relay is called by its schedule, within a minute.
    await east.edits.contracts.becomes('web-0', 'True AllSatisfied', 120_000);
    for (let round = 0; round < 12; round += 1) {
      for (let edit = 0; edit < 10; edit += 1) {
        const { edits } = pick([east, west]);
        const name = pick(names);
        const choice = entropy.random();
        if (choice < 0.5) await edits.toggleSecret(name);
        else if (choice < 0.9) await edits.toggleContract(name);
        else await edits.recreateContract(name);
      }
      const key = pick([RECONCILE, RECONCILE, 'relay', 'wake']);
      world.kill(key);
      if (key === 'relay') await world.call('relay');
    }
    await allRight(east);
    await allRight(west);
    expect(world.gatekeeper.denied).toEqual([]);
  });
});
