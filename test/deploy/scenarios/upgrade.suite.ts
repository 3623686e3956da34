import { expect, it } from 'vitest';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { readItem, targetNamed } from '../support/targets.ts';
import { CONTRACTS_A_CLUSTER, contractNames, type Deployed, LIMIT_MS, right } from './deployed.ts';
import { setSynced } from './polled.ts';

const PARTS = 'infra/serverless-parts.ts';
const REFUSED = "{ Refused: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 99_999 } } }";

/** A release after the first. */
export function upgrade(deployed: () => Deployed): void {
  it('R-6.4 a deployment that AWS refuses a resource of is told by name and reason, and the one before goes on', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(PARTS, '    ...dashboard(stage),', `    ...dashboard(stage),\n    ...${REFUSED},`);
    const ran = await world.copy.serverless('deploy', '--stage', STAGE);
    world.copy.edit(PARTS, `\n    ...${REFUSED},`, '');
    expect(ran.code).toBe(1);
    expect(ran.output).toMatch(
      /UPDATE_FAILED: Refused \(AWS::SQS::Queue\)\s+Invalid value for the parameter VisibilityTimeout/,
    );
    await world.relieve();
    await east.edits.toggleSecret('web-10');
    await west.edits.toggleSecret('web-10');
    await Promise.all([right(east, ['web-10']), right(west, ['web-10'])]);
  });

  it('R-5.15 R-5.5 a deployment of changed code while events flow loses nothing, and every target gets a pass by it', async () => {
    const { world, east, west } = deployed();
    world.copy.edit(
      'lib/controllers/secret-contract/secret-contract-controller.ts',
      "reconcilerVersion('1'",
      "reconcilerVersion('2'",
    );
    world.copy.edit('lib/controllers/t4/cluster-host/cluster-host-controller.ts', "version: '1',", "version: '2',");
    world.copy.edit('stages/emulator.yml', 'deletionProtection: false', 'deletionProtection: true');
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
          (await readItem(world, target)).reconcilerVersion.startsWith('2-') ? true : undefined,
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
