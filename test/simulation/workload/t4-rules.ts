import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { EvidenceRule } from '../../../lib/testing/simulation/invariants/evidence.ts';
import type { FinalizedRule } from '../../../lib/testing/simulation/invariants/finalizers.ts';
import { T4_NAMESPACE } from './t4-check.ts';

type Rest = readonly [ResourceType, string];

/** What a pass must have read for each condition that is True. */
function restsOn(object: KubeObject, condition: string): Rest[] {
  const { hostRef = '', workspaceRef = '', storageClassName = '' } = object.spec as Record<string, string>;
  switch (`${object.kind} ${condition}`) {
    case 'T4ClusterHost StorageReady':
      return [[StorageClasses, storageClassName]];
    case 'T4Workspace HostReady':
    case 'T4Session HostReady':
      return [[T4ClusterHosts, hostRef]];
    case 'T4Workspace StorageReady':
      return [[PersistentVolumeClaims, claimName(object.metadata)]];
    case 'T4Session WorkspaceReady':
      return [[T4Workspaces, workspaceRef]];
    case 'T4Session RuntimeConfigured':
      return [
        [ConfigMaps, 'omp-config'],
        [Secrets, 'omp-credentials'],
      ];
    case 'T4Session Available':
      return [[Pods, sessionChildName(object.metadata)]];
    default:
      return [];
  }
}

export const t4Evidence: EvidenceRule = (published, seen) => {
  if (!published.kind.startsWith('T4')) return undefined;
  const held = readConditions(published.status).filter(({ status }) => status === 'True');
  for (const { type } of held) {
    for (const [kind, name] of restsOn(published, type)) {
      const read = seen.read(kind, { namespace: kind.namespaced ? T4_NAMESPACE : '', name });
      if (read === undefined || read === 'absent') return `${type} is True, and ${kind.kind} ${name} was not seen`;
    }
  }
  const workspace = seen.read(T4Workspaces, { namespace: T4_NAMESPACE, name: workspaceOf(published) });
  if (!held.some(({ type }) => type === 'WorkspaceReady') || typeof workspace !== 'object') return undefined;
  const claim = seen.read(PersistentVolumeClaims, { namespace: T4_NAMESPACE, name: claimName(workspace.metadata) });
  const isAsDeclared =
    typeof claim === 'object' && claim.metadata.uid === (workspace.status as { pvcUID?: string }).pvcUID;
  return isAsDeclared ? undefined : 'WorkspaceReady is True, and the claim that was declared was not seen';
};

function workspaceOf({ spec }: KubeObject): string {
  return (spec as { workspaceRef?: string }).workspaceRef ?? '';
}

/** A workspace may go only after a list of the API server without sessions, and when its claim is gone or released. */
export const t4Finalized: FinalizedRule = (target, seen) => {
  if (target.kind !== T4Workspaces.kind) return undefined;
  if (!seen.listed(T4Sessions, T4_NAMESPACE)) return 'sessions were not listed';
  const claim = seen.read(PersistentVolumeClaims, { namespace: T4_NAMESPACE, name: claimName(target.metadata) });
  if (claim === undefined) return 'the claim was not looked at';
  if (claim === 'absent') return undefined;
  const { annotations, ownerReferences = [] } = claim.metadata;
  const isRetained = (target.spec as { retentionPolicy: string }).retentionPolicy === 'Retain';
  const isReleased = annotations?.['cluster.t4.dev/retained'] === 'true' && ownerReferences.length === 0;
  return isRetained && isReleased ? undefined : 'the claim was last seen present';
};
