import type { DesiredObject, JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { quantityNanos } from '../../../core/quantity.ts';
import { isExclusivelyOwned, ownerReference } from '../../../kit/owner-references.ts';
import { listAt, textAt } from '../../../kit/value-at.ts';
import { claimName, ownerLabel } from '../child-name.ts';
import { PersistentVolumeClaims, T4Workspaces } from '../kinds.ts';
import { READ_WRITE_MANY } from '../storage-class.ts';
import type { WorkspaceSpec } from './workspace.ts';

const WORKSPACE_LABEL = 'cluster.t4.dev/workspace';
const WORKSPACE_UID_ANNOTATION = 'cluster.t4.dev/workspace-uid';
/** On a claim that outlived its workspace, `"true"`. */
export const RETAINED_ANNOTATION = 'cluster.t4.dev/retained';

/** The claim that the workspace's status records as its own. Sessions use it, and it proves the ownership. */
export interface ClaimRecord {
  readonly name: string;
  readonly uid: string;
}

export function recordedClaim(workspace: KubeObject): ClaimRecord | undefined {
  const name = textAt(workspace.status, 'pvcName');
  const uid = textAt(workspace.status, 'pvcUID');
  return name === undefined || uid === undefined ? undefined : { name, uid };
}

/**
 * Whether the claim belongs to this workspace. It does if it names the workspace as its only owner. Under
 * Retain the claim can have no owner reference; it then belongs to the workspace if label, annotation and the recorded
 * UID agree. Before a UID is recorded, the workspace's UID in the annotation is the proof.
 */
export function isClaimOf(claim: KubeObject, workspace: KubeObject): boolean {
  if (isExclusivelyOwned(claim, T4Workspaces, workspace)) return true;
  const { metadata } = claim;
  const recorded = recordedClaim(workspace);
  return (
    textAt(workspace.spec, 'retentionPolicy') === 'Retain' &&
    (metadata.ownerReferences ?? []).length === 0 &&
    Object.entries(claimLabels(workspace)).every(([label, value]) => metadata.labels?.[label] === value) &&
    metadata.annotations?.[WORKSPACE_UID_ANNOTATION] === workspace.metadata.uid &&
    (recorded === undefined || recorded.uid === metadata.uid)
  );
}

export function storageClassOf(claim: KubeObject): string | undefined {
  return textAt(claim.spec, 'storageClassName');
}

/** Whether Pods on many nodes can write to it, as to a file system. */
export function isReadWriteMany(claim: KubeObject): boolean {
  const isFilesystem = (textAt(claim.spec, 'volumeMode') ?? 'Filesystem') === 'Filesystem';
  return isFilesystem && listAt(claim.spec, 'accessModes').includes(READ_WRITE_MANY);
}

/** Whether it is bound and not being deleted: a claim that is being deleted keeps its phase until it is gone. */
export function isBound(claim: KubeObject): boolean {
  return claimPhase(claim) === 'Bound' && !isTerminating(claim);
}

export function claimPhase(claim: KubeObject): string | undefined {
  return textAt(claim.status, 'phase');
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function desiredClaim(workspace: KubeObject, spec: WorkspaceSpec, storageClassName: string): DesiredObject {
  const { namespace = '' } = workspace.metadata;
  return {
    apiVersion: 'v1',
    kind: PersistentVolumeClaims.kind,
    metadata: {
      namespace,
      name: claimName(workspace.metadata),
      labels: claimLabels(workspace),
      annotations: { [WORKSPACE_UID_ANNOTATION]: workspace.metadata.uid },
      ...(spec.retentionPolicy === 'Delete' && { ownerReferences: [ownerReference(T4Workspaces, workspace)] }),
    },
    spec: {
      accessModes: [READ_WRITE_MANY],
      volumeMode: 'Filesystem',
      storageClassName,
      resources: { requests: { storage: spec.size } },
    },
  };
}

/** The patch that restores the missing marks of a claim of the workspace. Under Retain it also removes an owner reference. */
export function claimMarks(
  claim: KubeObject,
  workspace: KubeObject,
  managedBy: Readonly<Record<string, string>>,
): JsonObject {
  const isRetained = textAt(workspace.spec, 'retentionPolicy') === 'Retain';
  return {
    metadata: {
      labels: { ...claimLabels(workspace), ...managedBy },
      annotations: { [WORKSPACE_UID_ANNOTATION]: workspace.metadata.uid },
      ...(isRetained && (claim.metadata.ownerReferences ?? []).length > 0 && { ownerReferences: null }),
    },
  };
}

/** The patch that makes a claim as large as the spec asks for; undefined when it already is. */
export function claimGrowth(claim: KubeObject, size: string): JsonObject | undefined {
  const wanted = quantityNanos(size);
  const has = quantityNanos(claimSize(claim) ?? '');
  if (wanted === undefined || has === undefined || wanted <= has) return undefined;
  return { spec: { resources: { requests: { storage: size } } } };
}

/** The specification of the claim. */
export function claimSize({ spec }: KubeObject): string | undefined {
  return textAt(spec, 'resources', 'requests', 'storage');
}

function claimLabels({ metadata }: KubeObject): Record<string, string> {
  return { [WORKSPACE_LABEL]: ownerLabel(metadata.name, claimName(metadata)) };
}
