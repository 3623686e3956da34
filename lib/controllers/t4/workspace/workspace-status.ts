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
 * @param claim undefined when the pass did not read it.
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

/** The claim is gone, or no longer belongs to the workspace. */
export function releasedWorkspace({ status }: KubeObject): JsonObject {
  const { pvcName: _, pvcUID: __, pvcPhase: ___, capacity: ____, ...rest } = statusFields(status);
  return { ...rest, phase: 'Terminating' };
}

/** For a recorded claim that cannot be read, keeps what the status said about it: whether it may have held data. */
function phaseOf(
  workspace: KubeObject,
  own: KubeObject | undefined,
  record: ClaimRecord | undefined,
): string | undefined {
  if (own !== undefined) return claimPhase(own);
  return record === undefined ? undefined : textAt(workspace.status, 'pvcPhase');
}

/**
 * The record stays until a read shows that the claim is gone, because it distinguishes our claim from a foreign one.
 */
function recordOf(
  workspace: KubeObject,
  claim: Observation<KubeObject> | undefined,
  own: KubeObject | undefined,
): ClaimRecord | undefined {
  if (own !== undefined) return { name: own.metadata.name, uid: own.metadata.uid };
  return claim?.type === 'absent' ? undefined : recordedClaim(workspace);
}
