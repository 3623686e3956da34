import { expect, it } from 'vitest';
import { STAGE } from '../support/cloud-world.ts';
import type { Deployed } from './deployed.ts';

/** What functions were allowed to do, and what a removed stage leaves behind. */
export function accessAndRemoval(deployed: () => Deployed): void {
  it('R-5.12 no call was one that its role does not allow, and no permission was never used', () => {
    const { world } = deployed();
    expect(
      world.gatekeeper.denied.map(({ action, resources, userAgent }) => ({ action, resources, userAgent })),
    ).toEqual([]);
    const unused = world.functionKeys.flatMap((key) =>
      world.gatekeeper.unused(key).map(({ action, resource }) => `${key}: ${action} on ${resource}`),
    );
    expect(unused.filter((line) => !isLambdas(line) && !isRarelyUsed(line))).toEqual([]);
  });

  it('R-6.8 removing it is refused while clusters have something of it or it is protected, and leaves nothing of the stack afterwards', async () => {
    const { world, east, west } = deployed();
    await world.list(east);
    await world.list(west);
    const inUse = await world.copy.serverless('remove', '--stage', STAGE);
    expect(inUse).toMatchObject({ code: 1, output: expect.stringContaining('still has the clusters east, west') });
    await world.unlist('east');
    await world.unlist('west');
    const left = await world.copy.serverless('remove', '--stage', STAGE);
    expect(left).toMatchObject({ code: 1, output: expect.stringContaining('cluster east: it has') });
    for (const name of ['east', 'west']) {
      const forgone = await world.copy.evenkeel('cluster', 'remove', name, '--stage', STAGE, '--forgo', '--yes');
      expect(forgone.code, forgone.output).toBe(0);
    }
    const before = await world.leftovers();
    const refused = await world.copy.serverless('remove', '--stage', STAGE);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('deletion protection is enabled') });
    expect(await world.leftovers()).toEqual(before);
    await world.endProtection();
    const removed = await world.copy.serverless('remove', '--stage', STAGE);
    expect(removed.code, removed.output).toBe(0);
    expect(await world.leftovers()).toEqual([]);
  });
}

/** Calls that Lambda itself makes in the name of a function: receive, delete at the end of a batch, and log. */
function isLambdas(line: string): boolean {
  return /sqs:(ReceiveMessage|GetQueueAttributes) |^wake: sqs:DeleteMessage |logs:(CreateLogStream|PutLogEvents) /.test(
    line,
  );
}

/**
 * Permissions that the scenarios here may or may not use. Resync reads several items at once, and sends a round through
 * the resync lane, only for a change with more than 100 readers. A pass deletes an edge when it no longer reads an
 * object, which depends on the order of events. Lambda deletes the last message group of a batch, so a function deletes
 * on the resync lane only when a batch there has two groups. The relay sends the result of its first list through the
 * resync lane, and at that time the control plane has no object. test/engine/fanout, test/engine/pass,
 * test/engine/batch and test/infra/permissions.test.ts check these calls.
 */
function isRarelyUsed(line: string): boolean {
  return /^reconcile-[^:]+: (dynamodb:(BatchGetItem|DeleteItem) on |sqs:(SendMessage|DeleteMessage) on \S+-resync\.fifo$)|^relay: sqs:SendMessage on \S+-control-plane-resync\.fifo$/.test(
    line,
  );
}
