import { InfrastructureError } from '../core/errors.ts';
import { MAX_DELAY_SECONDS } from '../ports/queue.ts';

/** @throws InfrastructureError for a delay that SQS would refuse. */
export function checkDelaySeconds(delaySeconds: number): number {
  if (Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS) return delaySeconds;
  throw new InfrastructureError(
    `a message was to be delayed by ${delaySeconds} s: a delay is a whole number of seconds from 0 to ${MAX_DELAY_SECONDS}`,
  );
}
