import { ApiError } from '../api-error.ts';
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import { jsonReply, type TextReply } from '../reply.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import { deleteObject } from './delete-object.ts';
import { deleteOptions } from './delete-options.ts';
import { objectMatcher } from './list.ts';
import { readOptions } from './read-options.ts';
import { listReply, objectReply } from './render.ts';

/** Kinds whose deletion returns the object even when it is gone at once, as on the real server. */
const answersWithObject = new Set([
  'pods',
  'services',
  'persistentvolumeclaims',
  'serviceaccounts',
  'persistentvolumes',
]);

/** Deletes one object. Returns the object while something delays its deletion, otherwise a Status of success. */
export function deleteOne(request: ResourceRequest): TextReply {
  const { state, type, info } = request;
  const { gone, last } = deleteObject(state, targetOf(request), deleteOptions(request));
  if (!gone || answersWithObject.has(type.collection)) return objectReply(request, 200, last, undefined);
  const status: JsonObject = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: info.name,
      ...(type.group === '' ? {} : { group: type.group }),
      kind: type.resource,
      uid: stringAt(objectAt(last, 'metadata'), 'uid'),
    },
  };
  return jsonReply(200, JSON.stringify(status));
}

/** Deletes all objects that the selectors select, with the same options, and returns the list of them. */
export function deleteCollection(request: ResourceRequest): TextReply {
  const { state, type, version, info } = request;
  const read = readOptions(request);
  const options = deleteOptions(request);
  const prefix = info.namespace === '' ? '' : `${info.namespace}/`;
  const chosen = state.store.list(type.collection, prefix).filter(objectMatcher(read, version));
  for (const { namespace, name } of chosen) {
    try {
      deleteObject(state, { type, version, namespace, name }, options);
    } catch (error) {
      // The object may already be gone together with another one of the collection; that is not an error.
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
  return listReply(request, chosen, { resourceVersion: String(state.store.revision) });
}
