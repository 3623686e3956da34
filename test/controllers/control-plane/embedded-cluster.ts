import { TransportFaults } from '../../support/transport-faults.ts';
import type { ClusterOptions, TestedCluster } from './cluster-run.ts';
import { controlPlaneWorld } from './control-plane-world.ts';

/** The embedded API server. Its controllers run while nobody waits. */
export async function embeddedCluster({ wrapIdentity }: ClusterOptions = {}): Promise<TestedCluster> {
  let faults: TransportFaults | undefined;
  const control = await controlPlaneWorld({
    wrapTransport: (server) => {
      faults = new TransportFaults(server);
      return faults;
    },
    ...(wrapIdentity !== undefined && { wrapIdentity }),
  });
  if (faults === undefined) throw new Error('the world has no transport');
  return { control, faults, close: async () => undefined };
}
