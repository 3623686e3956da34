import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { EvenkeelError } from '../lib/core/errors.ts';
import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { EventHandlers } from '../lib/deployment/handlers/event-handlers.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';
import { clustersNamed, receivedMessages, sourceQueueName } from '../lib/deployment/handlers/received-messages.ts';

/** The time that a batch needs after its last pass, to commit and to delete its messages. */
const AFTER_LAST_PASS_MS = 5_000;

/**
 * Handles the events of one controller group. Each installed group has its own function, its own role and two queues.
 */
export function reconcileHandler(groups?: ControllerGroups) {
  let handlers: EventHandlers | undefined;
  return lambdaHandler<SQSEvent, SQSBatchResponse>(async (runtime, event, call) => {
    const source = runtime.laneOf(sourceQueueName(event));
    if (source === undefined) {
      throw new EvenkeelError(
        'UNKNOWN_QUEUE',
        `${sourceQueueName(event)} is no queue of this deployment. Deploy again.`,
      );
    }
    handlers ??= new EventHandlers(runtime, source.group);
    const messages = receivedMessages(event, call);
    await runtime.clusters.refresh(clustersNamed(messages));
    const untilMs = call.endsMonotonicMs - AFTER_LAST_PASS_MS;
    const { failedMessageIds } = await handlers.batchRunner(source.lane).run(messages, untilMs);
    return { batchItemFailures: failedMessageIds.map((itemIdentifier) => ({ itemIdentifier })) };
  }, groups);
}

export const handler = reconcileHandler();
