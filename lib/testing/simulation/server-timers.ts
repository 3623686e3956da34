import type { Timers } from '../../apiserver/timers.ts';
import type { SimulatedProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

/** The timers of the API server, in simulated time. */
export function timersOf(scheduler: Scheduler, host: SimulatedProcess): Timers {
  return {
    after: (delayMs, task) => {
      const taken = new AbortController();
      scheduler.sleep(host, delayMs, taken.signal).then(task, () => undefined);
      return () => taken.abort('taken back');
    },
  };
}
