import type { ConditionInput } from '../../../core/conditions.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { baseStatus, statusFields } from '../../../kit/conditions.ts';
import type { Observation } from '../../../kit/observation.ts';
import { textAt } from '../../../kit/value-at.ts';
import { claimName } from '../child-name.ts';
import { LOST_PHASE } from './bound-claim.ts';
import { type ClaimRecord, claimPhase, isClaimOf, recordedClaim } from './claim.ts';
import type { WorkspacePhase } from './evaluate-workspace.ts';

/**
 * @param claim undefined where the pass did not look at it.
 * @param lost the UID of a claim that was bound and is gone.
 */
export function workspaceStatus(
  workspace: KubeObject,
  conditions: readonly ConditionInput[],
  phase: WorkspacePhase,
  claim: Observation<KubeObject> | undefined,
  nowMs: number,
  lost?: string,
): JsonObject {
  const isOwn = claim?.type === 'found' && lost === undefined && isClaimOf(claim.value, workspace);
  const own = isOwn ? claim.value : undefined;
  const record =
    lost === undefined ? recordOf(workspace, claim, own) : { name: claimName(workspace.metadata), uid: lost };
  const pvcPhase = lost === undefined ? phaseOf(workspace, own, record) : LOST_PHASE;
  const capacity = own && textAt(own.status, 'capacity', 'storage');
  return {
    ...baseStatus(workspace, conditions, nowMs),
    phase,
    ...(record !== undefined && { pvcName: record.name, pvcUID: record.uid }),
    ...(pvcPhase !== undefined && { pvcPhase }),
    ...(capacity !== undefined && { capacity }),
  };
}

/** The claim is gone, or is the workspace's no more. */
export function releasedWorkspace({ status }: KubeObject): JsonObject {
  const { pvcName: _, pvcUID: __, pvcPhase: ___, capacity: ____, ...rest } = statusFields(status);
  return { ...rest, phase: 'Terminating' };
}

/** Of a recorded claim that cannot be seen, what was said of it before: whether it may have held data. */
function phaseOf(
  workspace: KubeObject,
  own: KubeObject | undefined,
  record: ClaimRecord | undefined,
): string | undefined {
  if (own !== undefined) return claimPhase(own);
  return record === undefined ? undefined : textAt(workspace.status, 'pvcPhase');
}

/** What was recorded stays until the claim is seen to be gone: it is what tells a foreign claim from an own one. */
function recordOf(
  workspace: KubeObject,
  claim: Observation<KubeObject> | undefined,
  own: KubeObject | undefined,
): ClaimRecord | undefined {
  if (own !== undefined) return { name: own.metadata.name, uid: own.metadata.uid };
  return claim?.type === 'absent' ? undefined : recordedClaim(workspace);
}
