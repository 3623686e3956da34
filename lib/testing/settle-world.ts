import type { ApiServer } from '../apiserver/api-server.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import type { ManualClock } from './manual-clock.ts';

/** How far the clock advances between two deliveries. */
const STEP_MS = 100;
/** A world is at rest when it has had no message for this long. The relay delays an event for less. */
const REST_MS = 1_000;
/** Far more than a test needs. A controller that changes its object in each pass never comes to rest. */
const MAX_STEPS = 3_000;

/** What `settleWorld` needs of a world. */
export interface Settling {
  readonly world: {
    readonly server: Pick<ApiServer, 'idle'>;
    readonly clock: Pick<ManualClock, 'advance'>;
    readonly reports: readonly PassReport[];
  };
  /** Delivers all visible messages. @returns their number. */
  deliver(): Promise<number>;
}

/**
 * Delivers the events of the relay and of the passes, until nothing was due for a second of the world's time.
 * @throws Error when the world does not come to rest within five minutes of its time.
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
