import { badRequest, conflict, invalid, notFound, notServed, unsupportedMediaType } from '../api-error.ts';
import { invalidValue } from '../field-issue.ts';
import { clone, ensureObject, isObject, type JsonObject, type JsonValue, objectAt, stringAt } from '../json.ts';
import { applyJsonPatch, parseJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { jsonReply, type TextReply } from '../reply.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import type { OtherSubresource, ResourceType, ScalePaths } from '../state/resource-type.ts';
import { objectKey } from '../state/stored-object.ts';
import { contentType, parseBody } from '../verbs/decode-body.ts';
import { updateObject } from '../verbs/update-object.ts';
import { writeOptions } from '../verbs/write-options.ts';

const LARGEST_INT32 = 2 ** 31 - 1;
const applyPatch = 'application/apply-patch+yaml';
const jsonPatch = 'application/json-patch+json';
const patchTypes = [jsonPatch, 'application/merge-patch+json', 'application/strategic-merge-patch+json'];

/** The subresource that reads and writes the replicas of an object as a Scale (autoscaling/v1). */
export function scaleSubresource(scale: ScalePaths): OtherSubresource {
  return { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'], scale };
}

/** Answers a request for a scale. */
export function answerScale(request: ResourceRequest, paths: ScalePaths): TextReply {
  return request.info.verb === 'get' ? read(request, paths) : write(request, paths);
}

function read({ state, type, version, info }: ResourceRequest, paths: ScalePaths): TextReply {
  const stored = state.store.get(type.collection, objectKey(info.namespace, info.name));
  if (stored === undefined) throw notFound(type, info.name);
  return jsonReply(200, JSON.stringify(scaleOf(stored.view(version), paths)));
}

function write(request: ResourceRequest, paths: ScalePaths): TextReply {
  const { state, type, info } = request;
  const options = writeOptions(request, info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const produce = (present: JsonObject): JsonObject => {
    const wanted = wantedScale(request, scaleOf(present, paths));
    const metadata = objectAt(wanted, 'metadata');
    requireIdentity(type, info.name, metadata, stringAt(objectAt(present, 'metadata'), 'uid'));
    const object = clone(present);
    setAt(object, paths.specReplicas, replicasOf(wanted, info.name));
    const resourceVersion = stringAt(metadata, 'resourceVersion');
    if (resourceVersion !== '') ensureObject(object, 'metadata').resourceVersion = resourceVersion;
    return object;
  };
  const { object } = updateObject(state, targetOf(request), produce, options);
  return jsonReply(200, JSON.stringify(scaleOf(object, paths)));
}

function scaleOf(object: JsonObject, { specReplicas, statusReplicas, selectorOf }: ScalePaths): JsonObject {
  const {
    name = '',
    namespace,
    uid = '',
    resourceVersion = '',
    creationTimestamp = null,
  } = objectAt(object, 'metadata') ?? {};
  const replicas = numberIn(object, specReplicas);
  const selector = selectorOf(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberIn(object, statusReplicas), ...(selector === '' ? {} : { selector }) },
  };
}

function wantedScale({ body, headers, info }: ResourceRequest, present: JsonObject): JsonObject {
  const mediaType = contentType(headers);
  if (info.verb === 'update') return scaleFrom(parseBody(body, mediaType));
  if (mediaType === applyPatch) throw notServed('server-side apply of the scale subresource');
  if (!patchTypes.includes(mediaType)) throw unsupportedMediaType([...patchTypes, applyPatch]);
  const patch = parseBody(body, mediaType);
  if (mediaType === jsonPatch) return scaleFrom(applyJsonPatch(present, parseJsonPatch(patch)));
  if (!isObject(patch)) {
    throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
  }
  return scaleFrom(applyMergePatch(present, patch));
}

function scaleFrom(value: JsonValue): JsonObject {
  if (!isObject(value)) throw badRequest('the body is not a Scale');
  const { kind = 'Scale', apiVersion = 'autoscaling/v1' } = value;
  if (kind === 'Scale' && apiVersion === 'autoscaling/v1') return value;
  throw badRequest(`expected input object type to be Scale of autoscaling/v1, but ${kind} of ${apiVersion}`);
}

function requireIdentity(type: ResourceType, name: string, metadata: JsonObject | undefined, uid: string): void {
  const given = stringAt(metadata, 'name');
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const wanted = stringAt(metadata, 'uid');
  if (wanted === '' || wanted === uid) return;
  const scaled = { group: type.group, resource: `${type.resource}/scale` };
  throw conflict(scaled, name, `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`);
}

function replicasOf(scale: JsonObject, name: string): number {
  const replicas = objectAt(scale, 'spec')?.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || Math.abs(replicas) > LARGEST_INT32) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas === 'string' ? 'string' : `number ${replicas}`} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (replicas >= 0) return replicas;
  throw invalid('autoscaling', 'Scale', name, [
    invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
}

function numberIn(object: JsonObject, path: readonly string[]): number {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  return typeof value === 'number' ? value : 0;
}

function setAt(object: JsonObject, path: readonly string[], value: number): void {
  const [last = '', ...outer] = path.toReversed();
  let parent = object;
  for (const member of outer.reverse()) parent = ensureObject(parent, member);
  parent[last] = value;
}
