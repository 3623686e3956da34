import { kubeTime } from '../../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { checkAt, settled } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Namespaces } from '../../../core/resource-type.ts';
import { Gateways, ManagedDatabases } from '../kinds.ts';
import {
  type NamedOwner,
  ORPHAN_GRACE_MS,
  ORPHANED_SINCE_ANNOTATION,
  orphanedSinceMs,
  orphanMark,
  ownerToAskFor,
} from './orphan.ts';

/**
 * Removes namespaces that their owner left behind, e.g. because somebody removed its finalizer by hand. It reads the owner
 * before it marks the namespace, and again before it deletes it. A read that fails keeps the namespace.
 */
export function namespaceGcController(): Controller {
  return {
    name: 'namespace-gc',
    group: 'control-plane',
    type: Namespaces,
    owns: [],
    reads: [
      { type: Namespaces, mode: 'watch-labelled' },
      { type: Gateways, mode: 'watch', listsAllNamespaces: true },
      { type: ManagedDatabases, mode: 'watch', listsAllNamespaces: true },
    ],
    onlyManaged: true,
    reachesAllNamespaces: true,
    version: '1',
    conditions: [],
    // Deletes the target itself, in the version that was read.
    isOwned: (object, target) => object.metadata.uid === target.metadata.uid && ownerToAskFor(object) !== undefined,
    reconcile,
  };
}

async function reconcile(namespace: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const owner = ownerToAskFor(namespace);
  if (owner === undefined) return { outcome: settled() };
  if (!(await isGone(owner, context.get(owner.type, owner), context))) return await keep(namespace, context);

  const since = orphanedSinceMs(namespace, context.values.orphanedSinceMs, context.nowMs);
  if (since === undefined) return await mark(namespace, context);
  if (context.nowMs < since + ORPHAN_GRACE_MS) return { outcome: checkAt(since + ORPHAN_GRACE_MS) };
  return await collect(namespace, owner, context);
}

/**
 * An owner with the same name and another UID counts as alive, because it may be the owner, restored from a backup. An
 * object with its UID under another name or in another namespace also counts, because the annotations can be edited.
 */
async function isGone(
  { type, uid }: NamedOwner,
  read: Promise<KubeObject | undefined>,
  context: ReconcileContext,
): Promise<boolean> {
  if ((await read) !== undefined) return false;
  const others = await context.list(type, { namespace: '' });
  return others.every(({ metadata }) => metadata.uid !== uid);
}

async function keep(namespace: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  await context.mergePatch(Namespaces, namespace, orphanMark(null));
  await context.saveValues({});
  return { outcome: settled() };
}

async function mark(namespace: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  // In whole seconds, as in the annotation.
  const sinceMs = Math.floor(context.nowMs / 1_000) * 1_000;
  await context.saveValues({ orphanedSinceMs: sinceMs });
  await context.mergePatch(Namespaces, namespace, orphanMark(kubeTime(sinceMs)));
  return { outcome: checkAt(sinceMs + ORPHAN_GRACE_MS) };
}

async function collect(namespace: KubeObject, owner: NamedOwner, context: ReconcileContext): Promise<ReconcileResult> {
  if (!(await isGone(owner, context.getAgain(owner.type, owner), context))) return await keep(namespace, context);
  const since = namespace.metadata.annotations?.[ORPHANED_SINCE_ANNOTATION] ?? '';
  await context.recordEvent({
    type: 'Normal',
    reason: 'OrphanedNamespaceDeleted',
    note: `${owner.kind} ${owner.namespace}/${owner.name} (UID ${owner.uid}) is gone since ${since}: its namespace is deleted.`,
    action: 'Delete',
  });
  await context.delete(Namespaces, namespace);
  return { outcome: settled() };
}
