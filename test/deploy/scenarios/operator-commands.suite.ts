import { expect, it } from 'vitest';
import { messageGroupId } from '../../../lib/core/target.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { EVENTS_DEAD, EVENTS_QUEUE, RESYNC_DEAD, RESYNC_QUEUE, setDeadline, targetNamed } from '../support/targets.ts';
import { CONTRACTS_A_CLUSTER, type Deployed, passesOf, quiet, right } from './deployed.ts';

/** What a person does beside the deployment. */
export function operatorCommands(deployed: () => Deployed): void {
  it('R-6.4 the doctor finds nothing wrong with it but the dead letters that there are', async () => {
    const { world } = deployed();
    await quiet(world);
    const looked = await world.copy.evenkeel('doctor', '--stage', STAGE);
    const troubles = looked.output.match(/^TROUBLE .*$/gm) ?? [];
    expect(troubles).toHaveLength(4);
    for (const trouble of troubles) {
      expect(trouble).toMatch(
        /-(t4|control-plane)-\w+-dead holds about 1 dead letters\. Show the reasons with evenkeel redrive/,
      );
    }
    expect(looked.output).toMatch(/relay has all \d+ permissions that it needs/);
    expect(looked.code).toBe(1);
  });

  it('R-6.4 list, explain and requeue find the settings and the clusters of the deployment', async () => {
    const { world } = deployed();
    const stage = ['--stage', STAGE];
    const ambiguous = await world.copy.evenkeel('list', ...stage);
    expect(ambiguous).toMatchObject({ code: 2 });
    expect(ambiguous.output).toContain('several clusters: east, west. Name one with --cluster.');
    const listed = await world.copy.evenkeel('list', ...stage, '--cluster', 'west');
    expect(listed.output).toContain(`${CONTRACTS_A_CLUSTER} known`);
    await world.relieve();
    await eventually('relay of west', async () =>
      (await world.relayHold('west')).untilMs > Date.now() ? true : undefined,
    );
    const explained = await world.copy.evenkeel('explain', 'secon/default/web-1', ...stage, '--cluster', 'west');
    expect(explained.output).toContain('cluster    west (epoch 1; relay ');
    const asked = await world.copy.evenkeel('requeue', 'secon/default/web-1', ...stage, '--cluster', 'west');
    expect(asked).toMatchObject({ code: 0 });
  });

  it('R-5.4 R-5.3 a message that always fails becomes a dead letter with its reason, its message group continues, and redrive sends it again', async () => {
    const { world, east, west } = deployed();
    const target = await targetNamed(east, 'web-2');
    const group = messageGroupId(target);
    const strange = { ...(await targetNamed(west, 'web-2')), cluster: 'north' };
    const stranger = { v: 1, ...strange, incarnation: 1, cause: 'requested', at: Date.now() };
    await world.sendRaw(EVENTS_QUEUE, 'no JSON', group, 'poison-1');
    await world.sendRaw(RESYNC_QUEUE, '{"v":7}', group, 'poison-2');
    await world.sendRaw(EVENTS_QUEUE, JSON.stringify(stranger), group, 'poison-3');
    await east.edits.toggleSecret('web-2');
    await right(east, ['web-2']);
    await eventually('dead letters', async () =>
      (await world.messagesIn(EVENTS_DEAD)) === 2 && (await world.messagesIn(RESYNC_DEAD)) === 1 ? true : undefined,
    );
    const dry = await world.copy.evenkeel('redrive', '--stage', STAGE, '--dry-run');
    expect(dry.output).toContain('NotJson: the body is not JSON');
    expect(dry.output).toContain('UnknownVersion: event version 7');
    expect(dry.output).toContain('Unknown: cluster north is not configured here');
    expect(dry.output).toContain('7 would be sent again');
    expect(await world.messagesIn(EVENTS_DEAD)).toBe(2);

    // Once its cluster is listed, the stranger can be handled; the other two cannot.
    await world.list({ ...west, name: 'north' });
    await world.copyTokens(west, 'north');
    const redriven = await world.copy.evenkeel('redrive', '--stage', STAGE);
    expect(redriven.output).toMatch(
      /requested secretcontracts\.evenkeel\.dev default\/web-2 of cluster north .*: sent to its queue again/,
    );
    await eventually('pass of the stranger', async () => (passesOf(world, 'north').length > 0 ? true : undefined));
    await quiet(world);
    expect([await world.messagesIn(EVENTS_DEAD), await world.messagesIn(RESYNC_DEAD)]).toEqual([1, 1]);
    for (const reason of ['NotJson', 'UnknownVersion', 'Unknown']) {
      await world.measures('DeadLetter', { Group: 'secret-contract', Reason: reason });
    }

    // What is due of a cluster that is no longer listed is nobody's: it makes no dead letters.
    await setDeadline(world, strange, Date.now() - 60_000);
    await world.unlist('north');
    world.kill('sweep');
    await world.call('sweep', true);
    await quiet(world);
    expect(await world.messagesIn(EVENTS_DEAD)).toBe(1);
  });
}
