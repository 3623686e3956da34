import { expect, it } from 'vitest';
import { STAGE } from '../support/cloud-world.ts';
import type { Deployed } from './deployed.ts';

/** What it was allowed, and what it leaves. */
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

  it('R-6.8 removing it is refused while it has clusters or is protected, and leaves nothing of the stack afterwards', async () => {
    const { world, east, west } = deployed();
    await world.list(east);
    await world.list(west);
    const inUse = await world.copy.serverless('remove', '--stage', STAGE);
    expect(inUse).toMatchObject({ code: 1, output: expect.stringContaining('still has the clusters east, west') });
    await world.unlist('east');
    await world.unlist('west');
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

/** What Lambda itself does in a function's name: receiving, deleting at the end of a batch, and logging. */
function isLambdas(line: string): boolean {
  return /sqs:(ReceiveMessage|GetQueueAttributes) |^wake: sqs:DeleteMessage |logs:(CreateLogStream|PutLogEvents) /.test(
    line,
  );
}

/**
 * What no scenario here is sure to need. Resync reads several items at once, and sends a round by the resync lane, only for a
 * change with more than 100 readers. An edge is deleted when a pass no longer reads an object, which depends on the order of
 * events. Lambda deletes the last message group of a batch, so a function deletes on the resync lane only when a batch there
 * has two groups. The relay sends by the resync lane what its first list finds, and then the control plane has no object.
 * test/engine/fanout, test/engine/pass, test/engine/batch and test/infra/permissions.test.ts hold what these call.
 */
function isRarelyUsed(line: string): boolean {
  return /^reconcile-[^:]+: (dynamodb:(BatchGetItem|DeleteItem) on |sqs:(SendMessage|DeleteMessage) on \S+-resync\.fifo$)|^relay: sqs:SendMessage on \S+-control-plane-resync\.fifo$/.test(
    line,
  );
}
