import { ApiServer } from '../../apiserver/api-server.ts';
import type { Change } from '../../apiserver/state/store.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { PART_REVISION } from '../../testing/test-server.ts';

/** An empty embedded API server, into which objects of a cluster are copied as they are read. */
export function newForkServer(clock: Clock, entropy: Entropy, onChange: (change: Change) => void): ApiServer {
  return new ApiServer({
    clock: () => clock.now(),
    newUid: () => entropy.id(),
    random: () => entropy.random(),
    onChange,
    partOfCluster: { afterRevision: PART_REVISION },
  });
}
