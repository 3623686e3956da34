import type { OnForward } from '../../support/http-fault-proxy.ts';
import type { PatientClock } from '../../support/patient-clock.ts';

/**
 * Keeps the fast clock of a client in step with a server that takes the machine's time. What the server has under way
 * takes the client none of its time; a watch ends after just the seconds that the client asked for. So no time-out is ever
 * over because the machine was busy, but only because of a fault.
 */
export function serverTime(clock: PatientClock): OnForward {
  return ({ isWatch, query }) => {
    const seconds = Number(query.get('timeoutSeconds'));
    if (!isWatch || seconds === 0) return { ending: async () => {}, over: clock.hold() };
    const endMs = clock.now() + seconds * 1_000 * clock.speed;
    const release = clock.holdAt(endMs);
    return {
      async ending(signal) {
        release();
        await clock.sleep(endMs - clock.now(), signal).catch(() => {});
      },
      over: release,
    };
  };
}
