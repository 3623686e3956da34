import { apiVersion, kindId } from '../../core/resource-type.ts';
import { ApiError, type ApiErrorReason } from '../../ports/cluster-api.ts';
import type { Body } from '../http/read-body.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { type ApiCall, describeCall } from './api-call.ts';
import { parseJson, readStatus, type StatusBody } from './status-body.ts';

/** The head of a response, and its body up to the size limit. */
export interface Answer extends Body {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the error for an answer that is not 2xx.
 * @param repeated the request had been sent before, on a connection that died.
 */
export function answerError(
  call: ApiCall,
  answer: Pick<Answer, 'status' | 'headers' | 'text'>,
  nowMs: number,
  repeated = false,
): ApiError {
  const status = readStatus(parseJson(answer.text));
  const reason =
    answer.status === 404 && answer.text.trim() === PATH_NOT_SERVED
      ? 'KindMissing'
      : reasonOf(call, answer.status, status);
  return new ApiError(reason, messageOf(call, answer.status, reason, status), {
    status: answer.status,
    retryAfterMs: parseRetryAfter(answer.headers['retry-after'], nowMs) ?? retryAfterOf(status),
    repeated,
    refusal: status?.refusal,
  });
}

/** Returns the error for a Status in a watch. */
export function statusError(call: ApiCall, status: StatusBody): ApiError {
  const reason = reasonOf(call, status.code, status);
  return new ApiError(reason, messageOf(call, status.code, reason, status), {
    status: status.code,
    retryAfterMs: retryAfterOf(status),
  });
}

/** An answer that the API does not define; `what` describes it in our own words. */
export function malformed(call: ApiCall, status: number, what: string): ApiError {
  return new ApiError('Malformed', `${describeCall(call)}: ${status} Malformed: ${what}. ${MALFORMED_HINT}`, {
    status,
  });
}

/** An answer that is larger than its limit; its rest was not read. */
export function tooLarge(call: ApiCall, { status, bytes }: Pick<Answer, 'status' | 'bytes'>, what: string): ApiError {
  return new ApiError(
    'TooLarge',
    `${describeCall(call)}: ${status} TooLarge: ${what} is larger than is read of one: ${bytes} bytes came, and it had not ended`,
    { status },
  );
}

/** The plain text that the API server answers for a group, version or resource that it does not serve. */
const PATH_NOT_SERVED = '404 page not found';

const MALFORMED_HINT = 'Check the address of the API server, and what lies between.';

/**
 * Proxies and webhooks may answer 403, 404, 409, 410 or 422 with a page of their own. Deletions and grants depend on
 * these codes, so only a Status of the API is believed.
 */
function reasonOf(call: ApiCall, code: number, status: StatusBody | undefined): ApiErrorReason {
  // A webhook chooses its code freely: a denial with 404 or 409 is neither an absence nor a conflict.
  if (status?.refusal?.by === 'admission' || status?.refusal?.by === 'quota') return 'Forbidden';
  switch (code) {
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
      return 'BadRequest';
    case 401:
      return 'Unauthorized';
    case 408:
    case 504:
      return 'Timeout';
    case 429:
      return 'TooManyRequests';
    default:
      if (code >= 500) return 'ServerError';
      return code >= 400 && status !== undefined ? statusReasonOf(call, code, status) : 'Malformed';
  }
}

function statusReasonOf(call: ApiCall, code: number, status: StatusBody): ApiErrorReason {
  switch (code) {
    case 403:
      return 'Forbidden';
    case 404:
      return namesObject(call, status) || namesNamespace(call, status) ? 'NotFound' : 'KindMissing';
    case 409:
      return status.reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict';
    case 410:
      return 'Expired';
    case 422:
      return 'Invalid';
    default:
      return 'BadRequest';
  }
}

/**
 * A NotFound counts as absence only if the answer names the object itself. An answer that the kind is absent does not.
 */
function namesObject({ type, name }: ApiCall, { details }: StatusBody): boolean {
  return (
    name !== '' &&
    details.name === name &&
    details.group === type.group &&
    (details.kind === type.plural || details.kind === type.kind)
  );
}

/** The API server answers NotFound for the namespace when a write goes into a namespace that does not exist. */
function namesNamespace({ verb, namespace }: ApiCall, { details }: StatusBody): boolean {
  const writes = verb === 'POST' || verb === 'PATCH';
  return writes && namespace !== '' && details.kind === 'namespaces' && details.name === namespace;
}

function retryAfterOf(status: StatusBody | undefined): number | undefined {
  const seconds = status?.details.retryAfterSeconds ?? 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}

function messageOf(call: ApiCall, code: number, reason: ApiErrorReason, status: StatusBody | undefined): string {
  const head = `${describeCall(call)}: ${code} ${reason}`;
  switch (reason) {
    case 'KindMissing':
      return `${head}: the cluster does not serve ${kindId(call.type)} in ${apiVersion(call.type)}. Install its CRD, or check the version.`;
    case 'NotFound':
      return status !== undefined && namesNamespace(call, status)
        ? `${head}: the namespace ${call.namespace} does not exist`
        : head;
    case 'Unauthorized':
      return `${head}: the credentials of this connection were not accepted. Renew them.`;
    case 'Malformed':
      return code >= 300 && code < 400
        ? `${head}: a redirect, and redirects are not followed. ${MALFORMED_HINT}`
        : `${head}: not an answer of the Kubernetes API. ${MALFORMED_HINT}`;
    default:
      return head;
  }
}
