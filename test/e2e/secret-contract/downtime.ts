import { expect, it } from 'vitest';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { USUAL_PARTS } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { area, type World } from './world.ts';

/** What users do while nothing of evenkeel runs. */
async function changeMuch(world: World) {
  const contracts = await world.contracts();
  for (const name of ['recreated', 'deleted', 'edited']) {
    await contracts.createSecret(name, { one: 'x' });
    await contracts.createContract(name, ['one']);
  }
  for (const name of ['recreated', 'deleted', 'edited']) await contracts.becomes(name, 'True AllSatisfied');
  const before = {
    recreated: (await contracts.read('recreated')).metadata.uid,
    deleted: (await contracts.read('deleted')).metadata.uid,
  };
  await world.deployment.stop();
  // Under the same name, and so alike that only the UID tells them apart.
  await contracts.deleteContract('recreated');
  await contracts.createContract('recreated', ['one']);
  await contracts.deleteSecret('recreated');
  await contracts.createSecret('recreated', { one: 'x' });
  await contracts.deleteContract('deleted');
  await contracts.patchSecret('edited', undefined, ['one']);
  return { contracts, before };
}

/** Whether the table still knows a contract of this UID. */
async function isKnown({ deployment }: World, uid: string): Promise<boolean> {
  const { cluster } = deployment.settings;
  return (await deployment.store.readTarget({ cluster, kind: kindId(SecretContracts), uid })) !== undefined;
}

export const downtime = area('while everything is down', (world) => {
  it('R-1.11 R-5.8 objects deleted and recreated are handled after the start, by UID', async () => {
    const { contracts, before } = await changeMuch(world());
    world().deployment.start();
    await contracts.becomes('recreated', 'True AllSatisfied');
    await contracts.becomes('edited', 'False KeyMissing');
    await eventually('an end of the old states', async () => {
      const known = await Promise.all(Object.values(before).map((uid) => isKnown(world(), uid)));
      return known.includes(true) ? undefined : true;
    });
    const { uid } = (await contracts.read('recreated')).metadata;
    expect(await isKnown(world(), uid)).toBe(true);
    expect(before.recreated).not.toBe(uid);
  });

  it('R-5.7 R-5.8 the same when the API server has forgotten what happened, and resync finds the deletion that left no trace', async () => {
    const { contracts, before } = await changeMuch(world());
    await world().cluster.expireHistory();
    world().deployment.start();
    await contracts.becomes('recreated', 'True AllSatisfied');
    await contracts.becomes('edited', 'False KeyMissing');
    // Its Secret is as it read it, so nothing tells of the contract's end but its absence from a complete list.
    expect(await isKnown(world(), before.deleted)).toBe(true);
    await world().deployment.stop();
    world().deployment.start([...USUAL_PARTS, 'resync']);
    await eventually('an end of the old states', async () => {
      const known = await Promise.all(Object.values(before).map((uid) => isKnown(world(), uid)));
      return known.includes(true) ? undefined : true;
    });
    await world().deployment.stop();
    world().deployment.start();
  });

  it('R-1.2 R-5.8 resync alone reconciles a contract without an event, and follows its Secret', async () => {
    const contracts = await world().contracts();
    await world().deployment.stop();
    world().deployment.start(['worker', 'resync']);
    await contracts.createSecret('web', { one: 'x' });
    await contracts.createContract('web', ['one']);
    await contracts.becomes('web', 'True AllSatisfied');
    await contracts.deleteSecret('web');
    await contracts.becomes('web', 'False SecretNotFound');
    const { uid } = (await contracts.read('web')).metadata;
    await contracts.deleteContract('web');
    await eventually('an end of its state', async () => ((await isKnown(world(), uid)) ? undefined : true));
    await world().deployment.stop();
    world().deployment.start();
  });
});
