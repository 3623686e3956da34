import { expect, it } from 'vitest';
import { eventually } from '../../e2e/support/eventually.ts';
import { STAGE } from '../support/cloud-world.ts';
import { EVENTS_DEAD, EVENTS_QUEUE } from '../support/targets.ts';
import { contractNames, type Deployed, passesOf, quiet, RECONCILE, right } from './deployed.ts';

const PATH = `/2017-10-31/functions/evenkeel-${STAGE}-${RECONCILE}/concurrency`;

/** Lambda gives the function no execution at all for a while. */
export function throttled(deployed: () => Deployed): void {
  it('R-5.20 changes wait while the function is throttled, are handled afterwards, and none becomes a dead letter', async () => {
    const { world, east } = deployed();
    await quiet(world);
    const dead = await world.messagesIn(EVENTS_DEAD);
    await world.aws.rest('lambda', 'PUT', PATH, {}, JSON.stringify({ ReservedConcurrentExecutions: 0 }));
    const sinceMs = Date.now();
    try {
      for (const name of contractNames(20, 30)) await east.edits.toggleSecret(name);
      await eventually('waiting messages', async () =>
        (await world.messagesIn(EVENTS_QUEUE)) >= 20 ? true : undefined,
      );
      expect(passesOf(world, 'east', sinceMs).filter(({ name }) => contractNames(20, 30).includes(name))).toEqual([]);
    } finally {
      await world.aws.rest('lambda', 'DELETE', PATH);
    }
    await right(east, contractNames(20, 30));
    await quiet(world);
    expect(await world.messagesIn(EVENTS_DEAD)).toBe(dead);
  });
}
