import { ApiError, forbidden, notFound } from '../api-error.ts';
import type { ServerState } from '../state/server-state.ts';
import type { Target } from '../state/target.ts';

const namespaces = { group: '', resource: 'namespaces' };

/** Namespaces that must not be deleted. */
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** The NamespaceLifecycle admission of a create: the namespace must exist and must not be terminating. */
export function requireLivingNamespace(state: ServerState, { type, namespace }: Target, name: string): void {
  if (type.scope === 'Cluster') return;
  const found = state.store.get('namespaces', namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (!found.terminating) return;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(type, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' },
  ]);
}

/** The NamespaceLifecycle admission of a deletion. */
export function refuseDeletingImmortal(target: Target): void {
  if (target.type.collection !== 'namespaces' || !immortal.has(target.name)) return;
  const message = `namespaces "${target.name}" is forbidden: this namespace may not be deleted`;
  throw new ApiError(403, 'Forbidden', message, { name: target.name, kind: 'namespaces' });
}
