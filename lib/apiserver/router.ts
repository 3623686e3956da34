import {
  ApiError,
  badRequest,
  methodHasNoHandler,
  methodNotAllowed,
  notFound,
  notServed,
  resourceTypeNotFound,
} from './api-error.ts';
import { answerReview } from './kinds/built-in/reviews.ts';
import { negotiate } from './negotiation.ts';
import { pageNotFound, type Reply } from './reply.ts';
import type { RequestInfo } from './request-info.ts';
import { answerScale } from './scale/scale.ts';
import type { Kinds } from './state/kinds.ts';
import type { ResourceRequest } from './state/resource-request.ts';
import type { OtherSubresource, ResourceType } from './state/resource-type.ts';
import { issueToken } from './tokens/token-request.ts';
import { create } from './verbs/create.ts';
import { deleteCollection, deleteOne } from './verbs/delete.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

/** The subresources that a real server has and the embedded one does not serve. */
const leftOut = new Map([
  ['eviction', 'evictions'],
  ['exec', 'exec into pods'],
  ['attach', 'attaching to pods'],
  ['portforward', 'port forwarding'],
  ['log', 'pod logs'],
  ['proxy', 'proxying'],
  ['binding', 'pod bindings'],
  ['resize', 'resizing of pods'],
  ['ephemeralcontainers', 'ephemeral containers'],
]);

/** Processes a resource request. @throws ApiError for every refusal. */
export function route(request: Omit<ResourceRequest, 'representation' | 'type' | 'version'>): Reply {
  const { state, info, headers } = request;
  const found = state.kinds.byResource(info.group, info.version, info.resource);
  if (found === undefined || !fitsScope(found.type, info)) return unknownResource(state.kinds, info);
  const { type, version } = found;
  const other = version.others?.get(info.subresource);
  if (other === undefined) {
    if (type.custom) requireCustomSubresource(type, info);
    else requireSubresource(type, info);
  } else if (!other.verbs.includes(info.verb)) {
    throw type.custom ? methodNotAllowed(type, info.verb) : methodHasNoHandler();
  }
  const isList = info.verb === 'list' || info.verb === 'deletecollection';
  const ready: ResourceRequest = { ...request, type, version, representation: negotiate(headers.accept, isList) };
  if (version.warning !== undefined) request.warnings.push(version.warning);
  if (other !== undefined) return answerOther(ready, other);
  if (type.answersOnly !== true) return handlerOf(type, info)(ready);
  if (info.name !== '') return pageNotFound();
  if (info.verb !== 'create') throw methodHasNoHandler();
  return answerReview(ready);
}

function answerOther(request: ResourceRequest, { scale }: OtherSubresource): Reply {
  return scale === undefined ? issueToken(request) : answerScale(request, scale);
}

function fitsScope(type: ResourceType, { namespace, verb }: RequestInfo): boolean {
  if (type.scope === 'Cluster') return namespace === '';
  return namespace !== '' || verb === 'list' || verb === 'watch' || !type.custom;
}

/** Built-in API groups answer with a Status. For other API groups the real server sends plain text. */
function unknownResource(kinds: Kinds, { group }: RequestInfo): Reply {
  const builtIn = kinds.all().some((type) => !type.custom && type.group === group);
  if (builtIn) throw resourceTypeNotFound();
  return pageNotFound();
}

function requireSubresource(type: ResourceType, { verb, subresource, namespace, name }: RequestInfo): void {
  if (type.scope === 'Namespaced' && namespace === '') {
    if (name !== '') throw resourceTypeNotFound();
    if (verb !== 'list' && verb !== 'watch') throw methodHasNoHandler();
  }
  if (subresource === '' || isServed(type, subresource)) return;
  const what = leftOut.get(subresource.split('/')[0] ?? '');
  throw what === undefined ? resourceTypeNotFound() : notServed(what);
}

function isServed(type: ResourceType, subresource: string): boolean {
  return (type.subresources as ReadonlySet<string>).has(subresource);
}

function requireCustomSubresource(type: ResourceType, { subresource, name }: RequestInfo): void {
  if (subresource !== '' && !isServed(type, subresource)) throw notFound(type, name);
}

function handlerOf(type: ResourceType, { verb, subresource, name }: RequestInfo): (request: ResourceRequest) => Reply {
  if (subresource !== '') {
    if (verb === 'get') return get;
    if (verb === 'update') return update;
    if (verb === 'patch') return patch;
    throw type.custom ? methodNotAllowed(type, verb) : methodHasNoHandler();
  }
  switch (verb) {
    case 'get':
      return get;
    case 'list':
      return list;
    case 'watch':
      return watch;
    case 'create':
      if (name !== '' && !type.custom) throw methodHasNoHandler();
      return create;
    case 'update':
      requireName(type, name);
      return update;
    case 'patch':
      requireName(type, name);
      return patch;
    case 'delete':
      return deleteOne;
    case 'deletecollection':
      return deleteCollection;
  }
}

function requireName(type: ResourceType, name: string): void {
  if (name === '') throw type.custom ? badRequest('name must be provided') : methodHasNoHandler();
}

/** The answer for an error of a handler. An error that is not an ApiError is a bug of the server. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // The client must not see the stack trace.
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
