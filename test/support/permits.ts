import type { ClusterRequest } from '../e2e/support/test-cluster.ts';
import type { Permission } from './role-permissions.ts';

/** Whether a request needs what a role permits. RBAC sees no name in a create, list or watch. */
export function permits({ verb, resource, name, namespace }: Permission, request: ClusterRequest): boolean {
  return (
    verb === request.verb &&
    resource === request.resource &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace)
  );
}

/** The requests that no permission covers, and the permissions that no request needs. */
export function compareWithRequests(permissions: readonly Permission[], requests: readonly ClusterRequest[]) {
  const missing = requests.filter((request) => !permissions.some((permission) => permits(permission, request)));
  const unused = permissions.filter((permission) => !requests.some((request) => permits(permission, request)));
  return { missing, unused };
}
