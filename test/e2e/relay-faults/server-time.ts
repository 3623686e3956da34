import type { OnForward } from '../../support/http-fault-proxy.ts';
import type { PatientClock } from '../../support/patient-clock.ts';

/**
 * Keeps a client's fast clock in step with a server that uses real time. The client's clock stands still while the
 * server handles a request, and a watch lasts exactly the seconds that the client asked for. So a request never times
 * out because the machine is busy, only because of a fault.
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
