import { resourceTypeNotFound } from './api-error.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The parsed parts of a request, as in the real server's RequestInfo. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for a cluster-scoped resource, and for a request across all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** Subresources of namespaces themselves. Without this rule they would count as a resource inside the namespace. */
const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * Parses the path of a resource request; undefined for any other path (discovery, health, OpenAPI).
 * @throws ApiError of an unknown resource for an incomplete or malformed path.
 */
export function parseRequestInfo(method: string, pathname: string, query: URLSearchParams): RequestInfo | undefined {
  const parts = pathname.split('/').filter((part) => part !== '');
  let group = '';
  if (parts[0] === 'apis') group = decode(parts[1] ?? '');
  else if (parts[0] !== 'api') return undefined;
  const rest = parts.slice(parts[0] === 'apis' ? 2 : 1).map(decode);
  const version = rest.shift();
  if (version === undefined || rest.length === 0) return undefined;

  let namespace = '';
  let segments = rest;
  if (segments[0] === 'namespaces' && segments.length > 1) {
    const [, named = '', inside] = segments;
    if (inside !== undefined && !(group === '' && namespaceSubresources.has(inside) && segments.length === 3)) {
      namespace = named;
      segments = segments.slice(2);
    }
  }
  const [resource = '', name = '', ...subresource] = segments;
  return {
    verb: verbOf(method, name, query),
    group,
    version,
    resource,
    subresource: subresource.join('/'),
    namespace,
    name,
  };
}

function verbOf(method: string, name: string, query: URLSearchParams): Verb {
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      throw resourceTypeNotFound();
  }
}

/** A boolean of a query, as the real server reads it: a parameter without a value counts as true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    throw resourceTypeNotFound();
  }
}
