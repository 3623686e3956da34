import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { WakeHandler } from '../lib/engine/wake/wake-handler.ts';
import { lambdaHandler } from './cloud/lambda-handler.ts';

/** Handles delayed wakes: sends the events of deadlines that have come. */
export const handler = lambdaHandler<SQSEvent, SQSBatchResponse>(async (runtime, { Records }) => {
  const { logger } = runtime;
  const wakes = new WakeHandler(runtime);
  const results = await Promise.allSettled(Records.map(({ body, messageId }) => wakes.handle({ body, messageId })));
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = results[index];
    if (result?.status === 'fulfilled') return [];
    logger.error('a wake could not be handled and comes again', result?.reason, { messageId });
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
});
