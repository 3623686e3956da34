import { kindId, type ResourceType } from '../../core/resource-type.ts';

/** One call, with the data that its path, its errors and the parser of its answer need. */
export interface ApiCall {
  readonly verb: 'GET' | 'LIST' | 'WATCH' | 'POST' | 'PATCH' | 'DELETE';
  readonly type: ResourceType;
  /** '' for cluster-scoped kinds, and for all namespaces. */
  readonly namespace: string;
  /** '' for LIST and WATCH. */
  readonly name: string;
  readonly subresource?: 'status' | undefined;
}

/** How errors name the call: `PATCH secretcontracts.evenkeel.dev/status ns/name`. */
export function describeCall({ verb, type, namespace, name, subresource }: ApiCall): string {
  const resource = subresource === undefined ? kindId(type) : `${kindId(type)}/${subresource}`;
  return [verb, resource, [namespace, name].filter((part) => part !== '').join('/')]
    .filter((part) => part !== '')
    .join(' ');
}
