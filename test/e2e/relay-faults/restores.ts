import { expect, it } from 'vitest';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { Edits } from '../support/edits.ts';
import { eventually } from '../support/eventually.ts';
import { area, type World } from './world.ts';

async function incarnation({ deployment }: World): Promise<number> {
  return (await deployment.store.readCluster(deployment.settings.cluster)).incarnation;
}

/** Writes until the cluster's version is higher than the given one. */
async function writeBeyond({ target }: World, { contracts }: Edits, version: number): Promise<void> {
  const metadata = { name: 'counter', namespace: contracts.namespace };
  const write = { fieldManager: 'test' };
  let { metadata: written } = await target.user.create(
    ConfigMaps,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    write,
  );
  for (let count = 0; Number(written.resourceVersion) <= version; count += 1) {
    const patch = { data: { count: String(count) } };
    ({ metadata: written } = await target.user.patch(ConfigMaps, metadata, { type: 'merge', patch }, write));
  }
}

async function currentVersion({ target }: World): Promise<number> {
  return Number((await target.user.list(ConfigMaps, { limit: 1 })).resourceVersion);
}

/** The cluster is restored from an older backup while the relay runs. Resync is off. */
export const restores = area('a restored cluster', (world) => {
  it('R-5.8 is recognised by its versions, and later edits are reconciled', async () => {
    const { edits, relay } = await world().begin();
    const before = await incarnation(world());
    const goBack = edits.remember();
    const restore = await world().target.snapshot();
    for (let time = 0; time < 3; time += 1) await edits.round();
    await edits.right();
    await restore();
    goBack();
    world().journal.restart(before);
    for (let time = 0; time < 3; time += 1) {
      await edits.round();
      await edits.right();
    }
    expect(await incarnation(world())).toBeGreaterThan(before);
    expect(relay.metrics.total('ClusterRestored')).toBe(1);
    await world().verify();
  });

  it('R-5.8 is recognised by its restore counter when its versions have gone beyond the old ones meanwhile', async () => {
    const { tcp, deployment } = world();
    const { edits, relay } = await world().begin({ raiseEveryMs: 10_000 });
    const before = await incarnation(world());
    const counter = async () => (await deployment.store.readCluster(deployment.settings.cluster)).restoreCounter;
    const atSnapshot = await counter();
    const goBack = edits.remember();
    const restore = await world().target.snapshot();
    await edits.round();
    await edits.right();
    // One increase of the counter is on its way to the cluster; the one before has arrived.
    await eventually('a raised counter', async () => ((await counter()) >= atSnapshot + 2 ? true : undefined));
    await tcp.refuse();
    const reached = await currentVersion(world());
    await restore();
    goBack();
    world().journal.restart(before);
    // These edits get versions that the cluster used before, and the following writes hide them.
    await edits.round();
    await writeBeyond(world(), edits, reached);
    await tcp.heal();
    await edits.right();
    await edits.round();
    await edits.right();
    expect(await incarnation(world())).toBe(before + 1);
    expect(relay.metrics.total('ClusterRestored')).toBe(1);
    await world().verify();
  });
});
