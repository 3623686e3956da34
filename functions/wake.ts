import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ControllerGroups } from '../lib/deployment/groups/registered-groups.ts';
import { lambdaHandler } from '../lib/deployment/handlers/lambda-handler.ts';
import { clustersNamed, receivedMessages } from '../lib/deployment/handlers/received-messages.ts';
import { createTimers } from '../lib/engine/runtime/timers.ts';

/** Handles delayed wakes: sends the events of timers that are due, for the clusters of the deployment. */
export const wakeHandler = (groups?: ControllerGroups) =>
  lambdaHandler<SQSEvent, SQSBatchResponse>(async (runtime, event, call) => {
    const { Records } = event;
    const { logger, clusters, registry, settings } = runtime;
    const listed = await clusters.refresh(clustersNamed(receivedMessages(event, call))).then(
      () => true,
      (error: unknown) => {
        logger.error('the list of clusters could not be read: the wakes of all clusters are handled', error);
        return false;
      },
    );
    const hasCluster = (name: string) => !listed || clusters.get(name) !== undefined || clusters.isDoubtful(name);
    const { handleWakes } = createTimers(runtime, registry, { timings: settings.timings, hasCluster });
    const failed = await handleWakes(Records);
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  }, groups);

export const handler = wakeHandler();
