import { notFound } from '../api-error.ts';
import type { TextReply } from '../reply.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import { objectKey } from '../state/stored-object.ts';
import { tooLarge } from './list.ts';
import { readOptions } from './read-options.ts';
import { objectReply } from './render.ts';

/** Returns one object, its metadata, or a table of it. */
export function get(request: ResourceRequest): TextReply {
  const { state, type, version, info } = request;
  const { resourceVersion = 0 } = readOptions(request);
  if (resourceVersion > state.store.revision) throw tooLarge(resourceVersion, state.store.revision);
  const stored = state.store.get(type.collection, objectKey(info.namespace, info.name));
  if (stored === undefined) throw notFound(type, info.name);
  return objectReply(request, 200, stored.view(version), stored);
}
