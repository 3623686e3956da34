import { EvenkeelError, InfrastructureError } from '../../lib/core/errors.ts';
import type { SkinnyEvent } from '../../lib/core/event.ts';
import { BatchRunner } from '../../lib/engine/batch/batch-runner.ts';
import type { Lane } from '../../lib/engine/event-sender.ts';
import type { Installation } from '../installation/installation.ts';
import { eventHandler } from '../installation/worker-part.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';

type HandleEvent = ReturnType<typeof eventHandler>;

/** What handles the events of one controller group, of whichever cluster of the deployment. */
export class EventHandlers {
  private readonly runtime: CloudRuntime;
  private readonly group: string;
  private readonly handlers = new WeakMap<Installation, HandleEvent>();

  constructor(runtime: CloudRuntime, group: string) {
    this.runtime = runtime;
    this.group = group;
  }

  batchRunner(lane: Lane): BatchRunner {
    const { registry, queues, settings, store, clock, logger, metrics } = this.runtime;
    const queue = queues[this.group]?.[lane];
    if (queue === undefined) {
      throw new EvenkeelError('BROKEN_DEPLOYMENT', `this function has no queue of ${this.group}. Deploy again.`);
    }
    return new BatchRunner({
      group: this.group,
      handle: (event) => this.handle(event),
      refusal: (event) => registry.refusal(this.group, event, (cluster) => this.mayBeKnown(cluster)),
      queue,
      failures: store,
      timings: settings.timings,
      clock,
      logger: logger.with({ group: this.group }),
      metrics,
    });
  }

  /** One of which it is in doubt fails its messages, so that they come again. */
  private mayBeKnown(cluster: string): boolean {
    const { clusters } = this.runtime;
    return clusters.get(cluster) !== undefined || clusters.isDoubtful(cluster);
  }

  private handle(event: SkinnyEvent): Promise<unknown> {
    const cluster = this.runtime.clusters.get(event.cluster);
    if (cluster === undefined) {
      throw new InfrastructureError(
        `cluster ${event.cluster} is not in the list of clusters, which could not be read again`,
      );
    }
    const { installation } = cluster.opened;
    let handle = this.handlers.get(installation);
    if (handle === undefined) {
      handle = eventHandler(installation, this.group);
      this.handlers.set(installation, handle);
    }
    return handle(event);
  }
}
