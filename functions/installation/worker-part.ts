import { type LeaseTimings, latestStartMs } from '../../lib/core/lease.ts';
import { BatchRunner } from '../../lib/engine/batch/batch-runner.ts';
import { CoalescingDeleter } from '../../lib/engine/batch/coalescing-deleter.ts';
import type { Lane } from '../../lib/engine/event-sender.ts';
import { FanoutRunner } from '../../lib/engine/fanout/fanout-runner.ts';
import { EventRecorder } from '../../lib/engine/kube-events/event-recorder.ts';
import { DEFAULT_PASS_OPTIONS, PassRunner } from '../../lib/engine/pass/pass-runner.ts';
import { PollRunner } from '../../lib/engine/poll/poll-runner.ts';
import { QueueWorker } from '../../lib/engine/worker/queue-worker.ts';
import type { FifoQueue, ReceivedMessage } from '../../lib/ports/queue.ts';
import { strayErrors } from '../wiring-stray-errors.ts';
import { deploymentGuards } from './deployment.ts';
import { GuardedGate } from './guarded-gate.ts';
import type { Installation } from './installation.ts';
import type { Part } from './part.ts';

/** The longest that SQS lets a receive wait. */
const LONGEST_WAIT_SECONDS = 20;

/**
 * How long a receive waits for messages. A message counts as received when the receive was sent, since the queue may
 * have begun its visibility time-out at any moment after: what came at the end of the wait must still be young enough
 * to be started.
 */
export function receiveWaitSeconds(timings: LeaseTimings): number {
  const startableMs = latestStartMs(timings, 0);
  return Math.max(1, Math.min(LONGEST_WAIT_SECONDS, Math.floor(startableMs / 2_000)));
}

/**
 * Works on the events of every installed group. When the signal aborts, nothing more is received or begun; passes that
 * run are finished, and what was received but not begun is visible again at once.
 */
export function workerPart(installation: Installation): Part {
  return async (signal) => {
    const workers = Object.entries(installation.queues).flatMap(([group, lanes]) => {
      const handle = eventHandler(installation, group);
      return Object.entries(lanes).map(([lane, queue]) =>
        laneWorker(installation, group, lane as Lane, queue, handle, signal),
      );
    });
    await Promise.all(workers.map((worker) => worker.run(signal)));
  };
}

/** Handles one event of a group's kinds; resolves when its message may be acknowledged. */
export function eventHandler(
  installation: Installation,
  group: string,
): ConstructorParameters<typeof BatchRunner>[0]['handle'] {
  const { settings, registry, store, wakes, sender, clock, entropy, logger, metrics, owner, onPass, onReplaced } =
    installation;
  const guard = deploymentGuards(installation).get(group);
  const gate =
    guard === undefined
      ? installation.gate
      : new GuardedGate(installation.gate, guard, clock, onReplaced, installation.onUnread);
  const clusters = { api: (cluster: string) => (cluster === settings.cluster ? installation.api : undefined) };
  const { timings, backoff, rateLimit, scope, intervals } = settings;
  const passes = new PassRunner(
    {
      registry,
      clusters,
      store,
      wakes,
      gate,
      events: new EventRecorder(clock, settings.installation),
      clock,
      entropy,
      logger,
      metrics,
      owner,
      strays: strayErrors,
      onPass,
      onAuthorError: installation.onAuthorError,
    },
    {
      ...DEFAULT_PASS_OPTIONS,
      timings,
      backoff,
      rateLimit,
      scope,
      targetResyncMs: intervals.targetResyncMs === 0 ? undefined : intervals.targetResyncMs,
    },
  );
  const shared = { registry, store, sender, wakes, clock, entropy, logger, metrics };
  const polls = new PollRunner({ ...shared, clusters, gate });
  const { passLimitMs } = timings;
  const fanouts = new FanoutRunner({ ...shared, passLimitMs });
  return (event) => {
    if (event.cause === 'poll') return polls.handle(event);
    return event.cause === 'fanout' ? fanouts.handle(event) : passes.handle(event);
  };
}

/** The batch runner of one group's queue. */
export function batchRunner(
  installation: Installation,
  group: string,
  queue: FifoQueue,
  handle: ReturnType<typeof eventHandler>,
): BatchRunner {
  const { settings, registry, store, clock, logger, metrics } = installation;
  const deleter = new CoalescingDeleter(queue);
  return new BatchRunner({
    group,
    handle,
    refusal: (event) => registry.refusal(group, event, (cluster) => cluster === settings.cluster),
    queue: { delete: (handles) => deleter.delete(handles), sendDead: (letter) => queue.sendDead(letter) },
    failures: store,
    timings: settings.timings,
    clock,
    logger: logger.with({ group }),
    metrics,
  });
}

function laneWorker(
  installation: Installation,
  group: string,
  lane: Lane,
  queue: FifoQueue,
  handle: ReturnType<typeof eventHandler>,
  signal: AbortSignal,
): QueueWorker {
  const { settings, clock, logger } = installation;
  const batch = batchRunner(installation, group, queue, handle);
  const work = async (messages: readonly ReceivedMessage[]) => {
    const { failedMessageIds } = await batch.run(messages, undefined, signal);
    if (!signal.aborted || failedMessageIds.length === 0) return;
    const failed = new Set(failedMessageIds);
    const handles = messages.filter(({ messageId }) => failed.has(messageId)).map(({ receiptHandle }) => receiptHandle);
    await queue.changeVisibility(handles, 0);
  };
  const concurrency = lane === 'events' ? settings.concurrency : settings.resyncConcurrency;
  return new QueueWorker(queue, work, clock, logger.with({ group, lane }), {
    concurrency,
    timings: settings.timings,
    waitSeconds: receiveWaitSeconds(settings.timings),
  });
}
