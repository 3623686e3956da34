import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { claimName } from '../child-name.ts';
import { claimGrowth, claimMarks, desiredClaim, isClaimOf, isTerminating, recordedClaim } from '../claim.ts';
import type { ClusterHostSpec } from '../cluster-host/cluster-host.ts';
import { PersistentVolumeClaims } from '../kinds.ts';
import { type Reading, readAgain } from '../reading.ts';
import type { ClaimWriteFailure } from './judge-workspace.ts';
import type { WorkspaceSpec } from './workspace.ts';

export interface KeptClaim {
  readonly claim: Reading<KubeObject>;
  readonly writeFailure: ClaimWriteFailure | undefined;
}

export function claimNameOf({ metadata }: KubeObject): ObjectName {
  return { namespace: metadata.namespace ?? '', name: claimName(metadata) };
}

/**
 * Creates the claim, or puts back on an own one what is missing: its marks in any state of the host, its size when it
 * is bound. One that was recorded and is gone is first recorded as gone, in a pass of its own: the record of an earlier
 * claim is never proof of a later one.
 * @param host undefined while there is none to create a claim for.
 */
export async function keepClaim(
  workspace: KubeObject,
  spec: WorkspaceSpec,
  host: ClusterHostSpec | undefined,
  claim: Reading<KubeObject>,
  context: ReconcileContext,
): Promise<KeptClaim> {
  if (claim.type === 'unread') return { claim, writeFailure: undefined };
  if (claim.type === 'found') return await repair(workspace, spec, claim.value, context);
  if (host === undefined || recordedClaim(workspace) !== undefined) return { claim, writeFailure: undefined };
  try {
    const desired = desiredClaim(workspace, spec, host.storageClassName);
    return {
      claim: { type: 'found', value: await context.create(PersistentVolumeClaims, desired) },
      writeFailure: undefined,
    };
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) {
      const claim = await readAgain(context, PersistentVolumeClaims, claimNameOf(workspace));
      return { claim, writeFailure: undefined };
    }
    return { claim, writeFailure: { what: 'create', error: apiErrorOf(error) } };
  }
}

async function repair(
  workspace: KubeObject,
  spec: WorkspaceSpec,
  claim: KubeObject,
  context: ReconcileContext,
): Promise<KeptClaim> {
  if (!isClaimOf(claim, workspace) || isTerminating(claim)) return kept(claim);
  let current = claim;
  const steps: [ClaimWriteFailure['what'], JsonObject | undefined][] = [
    ['mark', claimMarks(claim, workspace, { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE })],
    ['grow', claimGrowth(claim, spec.size)],
  ];
  for (const [what, patch] of steps) {
    if (patch === undefined) continue;
    try {
      current = await context.mergePatch(PersistentVolumeClaims, current, patch);
    } catch (error) {
      return kept(current, { what, error: apiErrorOf(error) });
    }
  }
  return kept(current);
}

function kept(claim: KubeObject, writeFailure?: ClaimWriteFailure): KeptClaim {
  return { claim: { type: 'found', value: claim }, writeFailure };
}

/** A conflict is for the next pass to see with fresh eyes: it and all that is no ApiError go through. */
function apiErrorOf(error: unknown): ApiError {
  if (!isApiError(error) || error.reason === 'Conflict') throw error;
  return error;
}
