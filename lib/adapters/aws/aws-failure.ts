import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { InfrastructureError } from '../../core/errors.ts';

/** Whether the SDK reports a condition that did not hold, which is an expected answer and not a failure. */
export function isConditionFailure(error: unknown): error is ConditionalCheckFailedException {
  return nameOf(error) === 'ConditionalCheckFailedException';
}

/**
 * The error for a request that AWS refused or did not answer. The message has AWS' name of the error, but not AWS' text
 * which is only in the cause.
 * @param resource the table's name or the queue's URL.
 */
export function awsFailure(service: string, operation: string, resource: string, cause: unknown): InfrastructureError {
  const name = nameOf(cause);
  return new InfrastructureError(`${service} ${operation} on ${resource} failed with ${name}: ${advice(name)}`, {
    cause,
    data: { service, operation, resource, error: name },
  });
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  const code = (error as { code?: unknown }).code;
  return error.name === 'Error' && typeof code === 'string' ? code : error.name;
}

function advice(name: string): string {
  if (/ResourceNotFound|QueueDoesNotExist|NonExistentQueue/.test(name)) {
    return 'check its name and region in the settings, and that it was deployed';
  }
  if (/AccessDenied|Credentials|Token|Signature|UnrecognizedClient/i.test(name)) {
    return "check this process' AWS credentials and the permissions of its role";
  }
  if (/Throttl|LimitExceeded|ThroughputExceeded|SlowDown|TooManyRequests/.test(name)) {
    return 'it is throttled; raise its limit if this lasts';
  }
  if (/Validation|InvalidParameter|TooLong|ItemCollectionSize|InvalidMessage/.test(name)) {
    return 'the request is not acceptable, most likely for its size; look at the cause';
  }
  return 'there was no usable answer; check the network and the endpoint if this lasts';
}
