import { EvenkeelError, InfrastructureError } from '../../core/errors.ts';
import type { QueueMessage } from '../../core/event.ts';
import type { Lane } from '../../engine/event-sender.ts';
import { createWorker, type Worker } from '../../engine/runtime/worker.ts';
import type { Installation } from '../installation/installation.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

/** Handles the events of one controller group, for all clusters of the deployment. */
export class EventHandlers {
  private readonly runtime: CloudRuntime;
  private readonly group: string;
  private readonly worker: Worker;

  constructor(runtime: CloudRuntime, group: string) {
    this.runtime = runtime;
    this.group = group;
    this.worker = createWorker(runtime, runtime.registry, {
      timings: runtime.settings.timings,
      within: async (event, handle) => await handle(this.installationOf(event)),
      knows: (cluster) => this.mayBeKnown(cluster),
      callerDeletes: true,
    });
  }

  batchRunner(lane: Lane): ReturnType<Worker['batchRunner']> {
    if (this.runtime.queues[this.group]?.[lane] === undefined) {
      throw new EvenkeelError('BROKEN_DEPLOYMENT', `this function has no queue of ${this.group}. Deploy again.`);
    }
    return this.worker.batchRunner(this.group, lane);
  }

  /** When it is not known whether a cluster exists, its messages fail, so that they are delivered again. */
  private mayBeKnown(cluster: string): boolean {
    const { clusters } = this.runtime;
    return clusters.get(cluster) !== undefined || clusters.isDoubtful(cluster);
  }

  private installationOf(event: QueueMessage): Installation {
    const cluster = this.runtime.clusters.get(event.cluster);
    if (cluster === undefined) {
      throw new InfrastructureError(
        `cluster ${event.cluster} is not in the list of clusters, which could not be read again`,
      );
    }
    return cluster.opened.installation;
  }
}
