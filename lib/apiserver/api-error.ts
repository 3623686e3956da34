import type { JsonObject } from './json.ts';

/** One cause in `details.causes` of a Status; `reason` is absent for causes of internal errors. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A problem with one field, as a `field.Error` of the real server. `message` is its body, without the path. */
export interface FieldIssue {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

/** The resource of an error. `resource` is the plural, which the real server writes into `details.kind`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/**
 * An answer that is a Status with `status: Failure`. Codes, reasons and texts are those of
 * k8s.io/apimachinery/pkg/api/errors, because clients compare all three.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** The `metadata.continue` of an expired list. With it the client can continue with an inconsistent list. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  toStatus(): JsonObject {
    const { details } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      ...(this.message === '' ? {} : { message: this.message }),
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(details === undefined ? {} : { details: detailsToJson(details) }),
      code: this.code,
    };
  }
}

function detailsToJson(details: StatusDetails): JsonObject {
  const json: JsonObject = {};
  if (details.name) json.name = details.name;
  if (details.group) json.group = details.group;
  if (details.kind) json.kind = details.kind;
  if (details.causes !== undefined && details.causes.length > 0) {
    json.causes = details.causes.map((cause) => ({
      ...(cause.reason ? { reason: cause.reason } : {}),
      ...(cause.message ? { message: cause.message } : {}),
      ...(cause.field ? { field: cause.field } : {}),
    }));
  }
  if (details.retryAfterSeconds) json.retryAfterSeconds = details.retryAfterSeconds;
  return json;
}

/** `widgets.example.com`, or `pods` for the core group. */
export function qualified(subject: GroupResource): string {
  return subject.group === '' ? subject.resource : `${subject.resource}.${subject.group}`;
}

function about(subject: GroupResource, name: string): StatusDetails {
  return { name, group: subject.group, kind: subject.resource };
}

export function notFound(subject: GroupResource, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(subject)} "${name}" not found`, about(subject, name));
}

/** The answer for a path without a resource type of a built-in group; it has no `details.kind`. */
export function resourceTypeNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(subject: GroupResource, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${qualified(subject)} "${name}" already exists`, about(subject, name));
}

export function conflict(subject: GroupResource, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, about(subject, name));
}

export function forbidden(
  subject: GroupResource,
  name: string,
  why: string,
  causes: readonly StatusCause[] = [],
): ApiError {
  const what = name === '' ? qualified(subject) : `${qualified(subject)} "${name}"`;
  return new ApiError(403, 'Forbidden', `${what} is forbidden: ${why}`, { ...about(subject, name), causes });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, undefined, continueToken);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function timeout(message: string, retryAfterSeconds: number, causes: readonly StatusCause[] = []): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: ${message}`, { causes, retryAfterSeconds });
}

export function methodNotAllowed(subject: GroupResource, action: string): ApiError {
  const message = `${action} is not supported on resources of kind "${qualified(subject)}"`;
  return new ApiError(405, 'MethodNotAllowed', message, { group: subject.group, kind: subject.resource });
}

/** The 405 without details, for a path whose method has no handler. */
export function methodHasNoHandler(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

/** A feature of a real server that the embedded one does not have. */
export function notServed(what: string): ApiError {
  return new ApiError(
    501,
    'NotImplemented',
    `the embedded API server does not serve ${what}; use a real cluster for it`,
  );
}

export function invalid(group: string, kind: string, name: string, issues: readonly FieldIssue[]): ApiError {
  const lines = [...new Set(issues.map((issue) => `${issue.path}: ${issue.message}`))];
  const summary = lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`;
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  return new ApiError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${summary}`, {
    name,
    group,
    kind,
    causes: issues.map((issue) => ({ reason: issue.reason, message: issue.message, field: issue.path })),
  });
}
