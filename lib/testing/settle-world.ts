import type { ApiServer } from '../apiserver/api-server.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import type { ManualClock } from './manual-clock.ts';

/** How far the clock moves between two looks at the queues. */
const STEP_MS = 100;
/** A world at rest shows no message for this long. The relay holds an event back for less. */
const REST_MS = 1_000;
/** Far above what any test needs: a controller that changes its object in each pass never comes to rest. */
const MAX_STEPS = 3_000;

/** What `settleWorld` needs of a world. */
export interface Settling {
  readonly world: {
    readonly server: Pick<ApiServer, 'idle'>;
    readonly clock: Pick<ManualClock, 'advance'>;
    readonly reports: readonly PassReport[];
  };
  /** Delivers everything that is visible now. @returns how many messages that were. */
  deliver(): Promise<number>;
}

/**
 * Delivers what the relay sends and what the passes ask for, until nothing was due for a second of the world's time.
 * @throws Error when five minutes of the world's time were not enough.
 */
export async function settleWorld({ world, deliver }: Settling): Promise<void> {
  let restedMs = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await world.server.idle();
    const delivered = await deliver();
    restedMs = delivered === 0 ? restedMs + STEP_MS : 0;
    if (restedMs > REST_MS) return;
    await world.clock.advance(STEP_MS);
  }
  const last = world.reports.at(-1);
  const busy = last === undefined ? '' : ` The last pass was of ${last.target.kind} ${last.target.name}: ${last.end}.`;
  throw new Error(`the world does not come to rest: something was due in each of ${MAX_STEPS / 10} seconds.${busy}`);
}
