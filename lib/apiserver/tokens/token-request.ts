import {
  badRequest,
  conflict,
  type FieldIssue,
  invalid,
  notFound,
  notServed,
  unsupportedMediaType,
} from '../api-error.ts';
import { invalidValue } from '../field-issue.ts';
import { isObject, type JsonObject, numberAt, objectAt, stringAt, stringsAt } from '../json.ts';
import { jsonReply, type TextReply } from '../reply.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import type { OtherSubresource } from '../state/resource-type.ts';
import { apiTime } from '../state/server-state.ts';
import { objectKey } from '../state/stored-object.ts';
import { contentType, parseBody } from '../verbs/decode-body.ts';

const group = 'authentication.k8s.io';
const resource = 'TokenRequest';
const DEFAULT_SECONDS = 3_600;
const MINIMUM_SECONDS = 600;
const MAXIMUM_SECONDS = 2 ** 32;
const AUDIENCES = ['https://kubernetes.default.svc'];

export const tokenSubresource: OtherSubresource = {
  group,
  version: 'v1',
  kind: resource,
  verbs: ['create'],
};

/** Issues a token of a service account (TokenRequest). The server accepts the token until it expires. */
export function issueToken(request: ResourceRequest): TextReply {
  const { state, type, version, info } = request;
  const body = requestFrom(request);
  const metadata = objectAt(body, 'metadata');
  const namespace = stringAt(metadata, 'namespace');
  if (namespace !== '' && namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = stringAt(metadata, 'name');
  if (name !== '' && name !== info.name) {
    const issue = invalidValue('metadata.name', name, 'must match the service account name if specified');
    throw invalid(group, resource, info.name, [issue]);
  }
  const stored = state.store.get(type.collection, objectKey(info.namespace, info.name));
  if (stored === undefined) throw notFound(type, info.name);
  const uid = stringAt(objectAt(stored.view(version), 'metadata'), 'uid');
  const given = stringAt(metadata, 'uid');
  if (given !== '' && given !== uid) {
    const why = `the UID in the token request (${given}) does not match the UID of the service account (${uid})`;
    throw conflict({ group, resource }, info.name, why);
  }

  const spec = objectAt(body, 'spec');
  if (isObject(spec?.boundObjectRef)) throw notServed('service account tokens that are bound to an object');
  const seconds = numberAt(spec, 'expirationSeconds') ?? DEFAULT_SECONDS;
  const issues = lifeIssues(seconds);
  if (issues.length > 0) throw invalid(group, resource, '', issues);
  const wanted = stringsAt(spec, 'audiences');
  const audiences = wanted.length > 0 ? [...wanted] : AUDIENCES;
  const nowMs = state.clock();
  const expiresAtMs = nowMs + seconds * 1_000;
  const subject = `system:serviceaccount:${info.namespace}:${info.name}`;
  const token = tokenText(
    { aud: audiences, exp: Math.floor(expiresAtMs / 1_000), iat: Math.floor(nowMs / 1_000), sub: subject },
    state.newUid(),
  );
  // A token for other audiences does not work here, as on the real server.
  if (audiences.some((audience) => AUDIENCES.includes(audience))) state.tokens.add(token, expiresAtMs, nowMs);
  return jsonReply(
    201,
    JSON.stringify({
      kind: resource,
      apiVersion: `${group}/v1`,
      metadata: { name: info.name, namespace: info.namespace, uid, creationTimestamp: apiTime(nowMs) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: null },
      status: { token, expirationTimestamp: apiTime(expiresAtMs) },
    }),
  );
}

function requestFrom({ body, headers }: ResourceRequest): JsonObject {
  const mediaType = contentType(headers);
  if (mediaType !== '' && mediaType !== 'application/json') throw unsupportedMediaType(['application/json']);
  const value = parseBody(body, mediaType);
  if (!isObject(value)) throw badRequest('the body is not a TokenRequest');
  const { kind = resource, apiVersion = `${group}/v1` } = value;
  if (kind === resource && apiVersion === `${group}/v1`) return value;
  throw badRequest(`the body is no TokenRequest of ${group}/v1, but ${kind} of ${apiVersion}`);
}

function lifeIssues(seconds: number): FieldIssue[] {
  const path = 'spec.expirationSeconds';
  if (seconds < MINIMUM_SECONDS)
    return [invalidValue(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > MAXIMUM_SECONDS)
    return [invalidValue(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

/** A JWT, because clients read its expiry. It is not signed; the server keeps a list of issued tokens. */
function tokenText(claims: JsonObject, id: string): string {
  const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ ...claims, jti: id })}.${Buffer.from(id).toString('base64url')}`;
}
