import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { WakeHandler } from '../lib/engine/wake/wake-handler.ts';
import { lambdaHandler } from './cloud/lambda-handler.ts';
import { clustersNamed, receivedMessages } from './cloud/received-messages.ts';

/** Handles delayed wakes: sends the events of deadlines that have come, of the clusters that there are. */
export const handler = lambdaHandler<SQSEvent, SQSBatchResponse>(async (runtime, event, call) => {
  const { Records } = event;
  const { logger, clusters, settings } = runtime;
  const listed = await clusters.refresh(clustersNamed(receivedMessages(event, call))).then(
    () => true,
    (error: unknown) => {
      logger.error('the list of clusters could not be read: the wakes of all are handled', error);
      return false;
    },
  );
  const hasCluster = (name: string) => !listed || clusters.get(name) !== undefined || clusters.isDoubtful(name);
  const wakes = new WakeHandler({ ...runtime, timings: settings.timings, hasCluster });
  const results = await Promise.allSettled(Records.map(({ body, messageId }) => wakes.handle({ body, messageId })));
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = results[index];
    if (result?.status === 'fulfilled') return [];
    logger.error('a wake could not be handled and comes again', result?.reason, { messageId });
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
});
