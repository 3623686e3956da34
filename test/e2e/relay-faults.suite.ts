import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { answers } from './relay-faults/answers.ts';
import { connections } from './relay-faults/connections.ts';
import { kinds } from './relay-faults/kinds.ts';
import { queues } from './relay-faults/queues.ts';
import { restores } from './relay-faults/restores.ts';
import { streams } from './relay-faults/streams.ts';
import { twoRelays } from './relay-faults/two-relays.ts';
import { type FaultTarget, World } from './relay-faults/world.ts';

type Area = (world: () => World) => void;

/** Both halves take about the same time. */
export const CONNECTION_FAULTS: readonly Area[] = [connections, answers, streams];
export const OTHER_FAULTS: readonly Area[] = [kinds, queues, twoRelays, restores];

/**
 * Faults of connections, servers, networks and queues, none of which may silence a relay. After each fault: no change
 * was lost, the requests per minute are bounded, no checkpoint is beyond an event that was not sent, and other kinds
 * still work. The suite is the same for the embedded API server and a real one.
 */
export function describeRelayFaults(
  title: string,
  openTarget: () => Promise<FaultTarget>,
  areas: readonly Area[] = [...CONNECTION_FAULTS, ...OTHER_FAULTS],
): void {
  describe(title, () => {
    let world: World;

    beforeAll(async () => {
      world = await World.open(await openTarget());
    });

    afterEach(async () => {
      await world.calm();
    });

    afterAll(async () => {
      await world[Symbol.asyncDispose]();
    });

    for (const area of areas) area(() => world);
  });
}
