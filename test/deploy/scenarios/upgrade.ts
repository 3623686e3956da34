import { it } from 'vitest';
import { eventually } from '../../e2e/support/eventually.ts';
import { readItem, targetNamed } from '../support/targets.ts';
import { CONTRACTS_A_CLUSTER, contractNames, type Deployed, LIMIT_MS, right } from './deployed.ts';
import { setSynced } from './polled.ts';

/** A release after the first. */
export function upgrade(deployed: () => Deployed): void {
  it('R-5.15 R-5.5 a deployment of changed code while events flow loses nothing, and every target gets a pass by it', async () => {
    const { world, east, west } = deployed();
    world.copy.edit('lib/controllers/secret-contract/secret-contract-controller.ts', "version: '1',", "version: '2',");
    const redeployed = world.deploy();
    let done = false;
    void redeployed.finally(() => {
      done = true;
    });
    for (let edit = 0; !done; edit += 1) {
      const before = world.gatekeeper.calls.length;
      await east.edits.toggleSecret(`web-${edit % CONTRACTS_A_CLUSTER}`);
      await west.edits.toggleContract(`web-${(7 * edit) % CONTRACTS_A_CLUSTER}`);
      // As fast as they are handled, and no faster.
      await eventually('work', async () => (done || world.gatekeeper.calls.length > before + 10 ? true : undefined));
    }
    await redeployed;
    await world.relieve();
    await right(east);
    await right(west);
    await world.call('resync', true);
    for (const cluster of [east, west]) {
      for (const name of contractNames(CONTRACTS_A_CLUSTER)) {
        const target = await targetNamed(cluster, name);
        await eventually(`pass of ${name} by the new code`, async () =>
          (await readItem(world, target)).reconcilerVersion === '2' ? true : undefined,
        );
      }
    }
  });

  it('R-2.5 a polled object that changed wakes its reader', async () => {
    const { east } = deployed();
    await setSynced(east, true);
    await eventually(
      'contract that saw it',
      async () => ((await east.edits.contracts.condition('polled', 'Synced'))?.startsWith('True') ? true : undefined),
      LIMIT_MS,
    );
  });
}
