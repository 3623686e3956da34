import { EvenkeelError } from '../../core/errors.ts';
import { IdentityError, type IdentityErrorReason } from '../../ports/identity-provider.ts';
import type { CallDeadline } from '../http/call-deadline.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { errorCode, isUnreadableAnswer } from '../http/transport-failure.ts';
import type { KeycloakResponse } from './keycloak-transport.ts';

/** The error for an answer other than 2xx. It does not use the text of the answer. */
export function answerError(what: string, response: KeycloakResponse, nowMs: number): IdentityError {
  const { status } = response;
  const reason = reasonOf(status);
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], nowMs);
  return new IdentityError(reason, `${what}: the identity server answered ${status} (${MEANING[reason]})`, {
    status,
    retryAfterMs,
  });
}

/** The error for a request without a complete answer. */
export function exchangeError(what: string, error: unknown, deadline: CallDeadline): IdentityError {
  if (error instanceof IdentityError) return error;
  if (deadline.expired) {
    return new IdentityError('Timeout', `${what}: the identity server gave no answer in time`, { cause: error });
  }
  if (deadline.signal.aborted) {
    return new IdentityError('Timeout', `${what}: aborted before the identity server answered`, { cause: error });
  }
  if (isUnreadableAnswer(error)) return malformed(what, 'it is not HTTP');
  const code = errorCode(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return malformed(what, 'it is too large');
  const why = error instanceof EvenkeelError ? error.message : (code ?? 'connection failed');
  return new IdentityError('Unreachable', `${what}: the identity server could not be reached: ${why}`, {
    cause: error,
  });
}

export function malformed(what: string, why: string): IdentityError {
  return new IdentityError('Malformed', `${what}: the identity server's answer cannot be used: ${why}`);
}

function reasonOf(status: number): IdentityErrorReason {
  if (status === 401) return 'Unauthorized';
  if (status === 403) return 'Forbidden';
  if (status === 404) return 'NotFound';
  if (status === 409) return 'AlreadyExists';
  if (status === 429) return 'TooManyRequests';
  if (status >= 500) return 'ServerError';
  return status >= 400 ? 'Invalid' : 'Malformed';
}

const MEANING: Readonly<Record<IdentityErrorReason, string>> = {
  NotFound: 'no such realm or object',
  AlreadyExists: 'it exists already',
  Invalid: 'it refuses the request',
  Unauthorized: 'the credentials are refused; check the section identity of the settings',
  Forbidden: 'the service account lacks the manage-clients role of that realm',
  TooManyRequests: 'too many requests',
  ServerError: 'it failed',
  Timeout: 'no answer in time',
  Unreachable: 'not reached',
  Malformed: 'not an answer of its API',
};
