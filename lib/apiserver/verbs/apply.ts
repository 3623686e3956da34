import { ApiError, badRequest, conflict, type FieldIssue, invalid, notFound } from '../api-error.ts';
import { requiredValue } from '../field-issue.ts';
import { ApplyError } from '../fields/check-applied.ts';
import { conflictCauses, conflictMessage } from '../fields/conflicts.ts';
import { applyObject } from '../fields/fields.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../json.ts';
import type { TextReply } from '../reply.ts';
import { isTrue } from '../request-info.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import { objectKey } from '../state/stored-object.ts';
import type { WriteOptions } from '../state/target.ts';
import { createObject } from './create-object.ts';
import { contentType, parseBody, requireMetadataTypes } from './decode-body.ts';
import { writer } from './field-management.ts';
import { objectReply } from './render.ts';
import { updateObject } from './update-object.ts';
import { writeOptions } from './write-options.ts';

/** Server-side apply. Creates the object when it does not exist, except through a subresource. */
export function apply(request: ResourceRequest): TextReply {
  const { state, type, query, info } = request;
  requireManager(query);
  const options: WriteOptions = { ...writeOptions(request, 'PatchOptions'), origin: 'apply' };
  const applied = decodeApplied(request);
  const target = targetOf(request);
  const merge = (live: JsonObject | undefined): JsonObject => {
    const result = merged(request, options, live, applied);
    requireMetadataTypes(result);
    return result;
  };
  if (state.store.get(type.collection, objectKey(info.namespace, info.name)) !== undefined) {
    const { object, stored } = updateObject(state, target, merge, options);
    return objectReply(request, 200, object, stored);
  }
  if (options.subresource !== '') throw notFound(type, info.name);
  const uid = stringAt(objectAt(applied, 'metadata'), 'uid');
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(type, info.name, why);
  }
  const { object, stored } = createObject(state, target, merge(undefined), options);
  return objectReply(request, 201, object, stored);
}

function requireManager(query: URLSearchParams): void {
  const issues: FieldIssue[] =
    (query.get('fieldManager') ?? '') === '' ? [requiredValue('fieldManager', 'is required for apply patch')] : [];
  if (issues.length > 0) throw invalid('meta.k8s.io', 'PatchOptions', '', issues);
}

function decodeApplied({ body, headers, type, version, info }: ResourceRequest): JsonObject {
  const applied = parseBody(body, contentType(headers));
  if (!isObject(applied)) throw badRequest('error decoding patch: the body is not an object');
  requireMetadataTypes(applied);
  const kind = stringAt(applied, 'kind');
  const apiVersion = stringAt(applied, 'apiVersion');
  if (apiVersion !== version.apiVersion || kind !== type.kind) {
    throw badRequest(`invalid object type: ${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`);
  }
  const name = stringAt(objectAt(applied, 'metadata'), 'name');
  if (name !== '' && name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  return applied;
}

function merged(
  request: ResourceRequest,
  options: WriteOptions,
  live: JsonObject | undefined,
  applied: JsonObject,
): JsonObject {
  const force = isTrue(request.query.get('force'));
  try {
    const result = applyObject({ ...writer(request.state, targetOf(request), options), live, applied, force });
    if (result.ok) return result.object;
    const causes = conflictCauses(result.conflicts);
    throw new ApiError(409, 'Conflict', conflictMessage(result.conflicts), { causes });
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error;
    throw error.code === 400 ? badRequest(error.message) : new ApiError(500, '', error.message);
  }
}
