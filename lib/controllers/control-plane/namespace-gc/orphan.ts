import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { OWNER_UID_ANNOTATION } from '../../../core/ownership.ts';
import type { ResourceType } from '../../../core/resource-type.ts';
import { Gateways, ManagedDatabases } from '../kinds.ts';
import { databaseNamespace, gatewayNamespace } from '../names.ts';
import {
  OWNER_KIND_ANNOTATION,
  OWNER_NAME_ANNOTATION,
  OWNER_NAMESPACE_ANNOTATION,
  type Owner,
  RETAIN_ANNOTATION,
} from '../ownership.ts';

/** RFC 3339: when the owner was first found gone. */
export const ORPHANED_SINCE_ANNOTATION = 'evenkeel.dev/orphaned-since';

/** How long an orphan is kept. */
export const ORPHAN_GRACE_MS = 600_000;

const OWNER_KINDS: readonly ResourceType[] = [Gateways, ManagedDatabases];

/** An owner of a known kind that the annotations name completely. */
export interface NamedOwner extends Owner {
  readonly type: ResourceType;
}

/**
 * Whether garbage collection may delete a namespace, and which owner to read. In doubt it keeps the namespace: one
 * without both marks, with an owner of another kind, with the mark to retain it, a namespace of the cluster itself, or
 * one with a name that such an owner never gives, e.g. because the marks were copied.
 */
export function ownerToAskFor({ metadata }: KubeObject): NamedOwner | undefined {
  const { name, annotations = {}, deletionTimestamp, ownerReferences = [] } = metadata;
  if (deletionTimestamp !== undefined || name === 'default' || name.startsWith('kube-')) return undefined;
  if (ownerReferences.length > 0 || annotations[RETAIN_ANNOTATION] !== undefined) return undefined;
  const type = OWNER_KINDS.find(({ kind }) => kind === annotations[OWNER_KIND_ANNOTATION]);
  const owner = {
    namespace: annotations[OWNER_NAMESPACE_ANNOTATION] ?? '',
    name: annotations[OWNER_NAME_ANNOTATION] ?? '',
    uid: annotations[OWNER_UID_ANNOTATION] ?? '',
  };
  if (type === undefined || Object.values(owner).includes('')) return undefined;
  if (name !== namespaceNameOf(type, owner.uid)) return undefined;
  return { type, kind: type.kind, ...owner };
}

function namespaceNameOf(type: ResourceType, uid: string): string {
  return type === Gateways ? gatewayNamespace(uid) : databaseNamespace(uid);
}

/**
 * When the namespace was found orphaned, epoch ms; undefined starts the grace period again. A mark counts only together
 * with the value that was stored in the item when the mark was set. So a mark that somebody wrote, or that came from a
 * backup, does not shorten the grace period.
 * @param keptMs the value in the item.
 */
export function orphanedSinceMs({ metadata }: KubeObject, keptMs: unknown, nowMs: number): number | undefined {
  const marked = Date.parse(metadata.annotations?.[ORPHANED_SINCE_ANNOTATION] ?? '');
  if (typeof keptMs !== 'number' || Number.isNaN(marked) || marked > nowMs) return undefined;
  return Math.max(marked, keptMs);
}

export function orphanMark(since: string | null): JsonObject {
  return { metadata: { annotations: { [ORPHANED_SINCE_ANNOTATION]: since } } };
}
