import type { ResourceType } from '../../core/resource-type.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import { type ApiCall, describeCall } from './api-call.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path for LIST, WATCH and POST. An empty namespace means all namespaces. */
export function collectionPath(call: ApiCall, query: Query = {}): string {
  const { type, namespace } = call;
  if (!type.namespaced || namespace === '') return root(type) + type.plural + queryString(query);
  return `${root(type)}namespaces/${segment(call, namespace)}/${type.plural}${queryString(query)}`;
}

/**
 * The path of one object.
 * @throws ApiError BadRequest for a name that would lead to another path. A DELETE with an empty name would remove the
 * whole collection.
 */
export function objectPath(call: ApiCall, query: Query = {}): string {
  const { type, namespace, name, subresource } = call;
  const place = type.namespaced ? `namespaces/${segment(call, namespace)}/` : '';
  const part = subresource === undefined ? '' : `/${subresource}`;
  return `${root(type)}${place}${type.plural}/${segment(call, name)}${part}${queryString(query)}`;
}

function root(type: ResourceType): string {
  return type.group === '' ? `/api/${type.version}/` : `/apis/${type.group}/${type.version}/`;
}

/** The rule is Kubernetes' own for path segments (k8s.io/apimachinery/pkg/api/validation/path). */
function segment(call: ApiCall, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new ApiError(
      'BadRequest',
      `${describeCall(call)}: nothing was sent, since namespace and name may not be empty, '.' or '..', nor contain '/' or '%'. Name one object.`,
    );
  }
  return encodeURIComponent(name);
}

function queryString(query: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
