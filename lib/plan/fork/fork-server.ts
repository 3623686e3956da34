import { ApiServer } from '../../apiserver/api-server.ts';
import type { Change } from '../../apiserver/state/store.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';

/** Above every resourceVersion of a real cluster, and far below what a number holds exactly. */
export const FORK_REVISION = 2 ** 50;

/** An empty embedded API server, into which objects of a cluster are copied as they are read. */
export function newForkServer(clock: Clock, entropy: Entropy, onChange: (change: Change) => void): ApiServer {
  return new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
    onChange,
    partOfCluster: { afterRevision: FORK_REVISION },
  });
}
