import { ApiError, methodHasNoHandler, notServed, resourceTypeNotFound } from './api-error.ts';
import { negotiate } from './negotiation.ts';
import type { Reply } from './reply.ts';
import type { RequestInfo } from './request-info.ts';
import { create } from './verbs/create.ts';
import { deleteCollection, deleteOne } from './verbs/delete.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import type { ResourceRequest } from './verbs/resource-request.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

/** What a real server has and the embedded one leaves out, by subresource. */
const leftOut = new Map([
  ['eviction', 'evictions'],
  ['scale', 'the scale subresource'],
  ['exec', 'exec into pods'],
  ['attach', 'attaching to pods'],
  ['portforward', 'port forwarding'],
  ['log', 'pod logs'],
  ['proxy', 'proxying'],
  ['binding', 'pod bindings'],
  ['token', 'service account tokens'],
  ['resize', 'resizing of pods'],
  ['ephemeralcontainers', 'ephemeral containers'],
]);

/** Carries out a resource request. Throws an ApiError for whatever is refused. */
export function route(request: Omit<ResourceRequest, 'representation' | 'type' | 'version'>): Reply {
  const { state, info, headers } = request;
  const found = state.kinds.byResource(info.group, info.version, info.resource);
  if (found === undefined) throw resourceTypeNotFound();
  const { type } = found;
  if (type.scope === 'Cluster' && info.namespace !== '' && type.collection !== 'namespaces') {
    throw resourceTypeNotFound();
  }
  if (type.scope === 'Namespaced' && info.namespace === '' && !(info.verb === 'list' || info.verb === 'watch')) {
    throw info.name === '' ? methodHasNoHandler() : resourceTypeNotFound();
  }
  requireSubresource(type.subresources, info);
  const ready: ResourceRequest = { ...request, ...found, representation: negotiate(headers.accept) };
  if (found.version.warning !== undefined) request.warnings.push(found.version.warning);
  return handlerOf(info)(ready);
}

function requireSubresource(subresources: ReadonlySet<string>, { subresource }: RequestInfo): void {
  if (subresource === '' || subresources.has(subresource)) return;
  const what = leftOut.get(subresource.split('/')[0] ?? '');
  throw what === undefined ? resourceTypeNotFound() : notServed(what);
}

function handlerOf({ verb, subresource, name }: RequestInfo): (request: ResourceRequest) => Reply {
  if (subresource !== '') {
    if (verb === 'get') return get;
    if (verb === 'update') return update;
    if (verb === 'patch') return patch;
    throw methodHasNoHandler();
  }
  switch (verb) {
    case 'get':
      return get;
    case 'list':
      return list;
    case 'watch':
      return watch;
    case 'create':
      if (name !== '') throw methodHasNoHandler();
      return create;
    case 'update':
      if (name === '') throw methodHasNoHandler();
      return update;
    case 'patch':
      if (name === '') throw methodHasNoHandler();
      return patch;
    case 'delete':
      return deleteOne;
    case 'deletecollection':
      return deleteCollection;
  }
}

/** The answer to an error that a handler threw; what is no ApiError is a fault of the server itself. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
