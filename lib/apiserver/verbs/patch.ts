import { badRequest, unsupportedMediaType } from '../api-error.ts';
import { StrategicPatchError, strategicMergePatch } from '../fields/strategic-merge.ts';
import { isObject, type JsonObject } from '../json.ts';
import { applyJsonPatch, parseJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import type { TextReply } from '../reply.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import { apply } from './apply.ts';
import { contentType, metadataFault, parseBody } from './decode-body.ts';
import { objectReply } from './render.ts';
import { badPatch } from './shape-decoded.ts';
import { updateObject } from './update-object.ts';
import { writeOptions } from './write-options.ts';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
export const applyPatch = 'application/apply-patch+yaml';

/** Patches an object by one of the four patch types. Custom resources do not support the strategic merge patch. */
export function patch(request: ResourceRequest): TextReply {
  const mediaType = contentType(request.headers);
  const supported = request.type.custom
    ? [jsonPatch, mergePatch, applyPatch]
    : [jsonPatch, mergePatch, strategicPatch, applyPatch];
  if (!supported.includes(mediaType)) throw unsupportedMediaType(supported);
  if (mediaType === applyPatch) return apply(request);

  const options = writeOptions(request, 'PatchOptions');
  const produce = patchFunction(request, mediaType);
  const checked = (present: JsonObject): JsonObject => {
    const patched = produce(present);
    const fault = metadataFault(patched) ?? request.version.decodeFault?.(patched);
    if (fault !== undefined) throw badPatch(patched, fault);
    return patched;
  };
  const { object, stored } = updateObject(request.state, targetOf(request), checked, options);
  return objectReply(request, 200, object, stored);
}

function patchFunction({ body, version }: ResourceRequest, mediaType: string): (present: JsonObject) => JsonObject {
  const patch = parseBody(body, mediaType);
  if (mediaType === jsonPatch) {
    const operations = parseJsonPatch(patch);
    return (present) => applyJsonPatch(present, operations);
  }
  if (!isObject(patch)) {
    throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
  }
  if (mediaType === mergePatch) return (present) => applyMergePatch(present, patch);
  return (present) => {
    try {
      return strategicMergePatch(present, patch, version.node);
    } catch (error) {
      throw error instanceof StrategicPatchError ? badRequest(error.message) : error;
    }
  };
}
