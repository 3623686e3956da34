import { EvenkeelError } from '../../lib/core/errors.ts';
import { isSameCluster } from '../../lib/deployment/kubernetes/same-cluster.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import { runningRecord } from '../state/running-record.ts';
import { runsHere } from '../state/state-directory.ts';
import { connectKubeconfig, kubeconfigOf } from '../wiring.ts';

/**
 * Finds a process that runs from a folder and drives this cluster, or may drive it. A process that certainly drives
 * another cluster does not count.
 * @returns EvenkeelError STILL_RUNNING, with the process.
 */
export async function driverHere(directory: string, api: ClusterApi): Promise<EvenkeelError | undefined> {
  const pid = runsHere(directory);
  if (pid === undefined || (await drivesAnother(directory, api))) return undefined;
  return new EvenkeelError(
    'STILL_RUNNING',
    `evenkeel runs from ${directory}, with process id ${pid}: it would add its finalizers again. Stop it first (Ctrl-C, or kill ${pid}).`,
  );
}

async function drivesAnother(directory: string, api: ClusterApi): Promise<boolean> {
  try {
    const { kubeconfig, context } = runningRecord(directory).cluster;
    const driven = connectKubeconfig(await kubeconfigOf({ file: kubeconfig, context }));
    try {
      return (await isSameCluster(driven.api, api)) === false;
    } finally {
      await driven.close();
    }
  } catch (error) {
    // The process is only starting, or its files cannot be read. So it is not known which cluster it drives.
    if (error instanceof EvenkeelError) return false;
    throw error;
  }
}
