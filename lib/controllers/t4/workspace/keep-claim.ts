import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../../core/installation.ts';
import type { JsonObject, KubeObject, ObjectName } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { createOrObserve } from '../../../kit/ensure-owned.ts';
import { isUnread, type Observation } from '../../../kit/observation.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { MadeObject } from '../admission/made-object.ts';
import { claimName } from '../child-name.ts';
import type { ClusterHostSpec } from '../cluster-host/cluster-host.ts';
import { PersistentVolumeClaims } from '../kinds.ts';
import {
  claimGrowth,
  claimMarks,
  claimSize,
  desiredClaim,
  isBound,
  isClaimOf,
  isTerminating,
  recordedClaim,
} from './claim.ts';
import type { ClaimWriteFailure } from './evaluate-workspace.ts';
import type { WorkspaceSpec } from './workspace.ts';

const MANAGED_BY = { [MANAGED_BY_LABEL]: MANAGED_BY_VALUE };

export interface KeptClaim {
  readonly claim: Observation<KubeObject>;
  readonly writeFailure: ClaimWriteFailure | undefined;
}

export function claimNameOf({ metadata }: KubeObject): ObjectName {
  return { namespace: metadata.namespace ?? '', name: claimName(metadata) };
}

/**
 * Creates the claim, or repairs a claim of the workspace: its marks in any state of the host, its size when it is bound. A
 * claim that was recorded and is gone is first recorded as gone, in a separate pass, because the record of an earlier claim
 * never proves a later one.
 * @param host undefined while there is no host to create a claim for.
 */
export async function keepClaim(
  workspace: KubeObject,
  spec: WorkspaceSpec,
  host: ClusterHostSpec | undefined,
  claim: Observation<KubeObject>,
  context: ReconcileContext,
): Promise<KeptClaim> {
  if (isUnread(claim)) return { claim, writeFailure: undefined };
  const repairs = repairsOf(workspace, spec);
  const made = new MadeObject(context, {
    type: PersistentVolumeClaims,
    desired: host && desiredClaim(workspace, spec, host.storageClassName),
    repairOf: (created) => ({ ...repairs.mark(created), ...repairs.grow(created) }),
  });
  if (claim.type === 'found') return await repair(workspace, claim.value, made, repairs);
  if (host === undefined || recordedClaim(workspace) !== undefined) return { claim, writeFailure: undefined };
  const name = claimNameOf(workspace);
  try {
    const created = await createOrObserve(context, PersistentVolumeClaims, name, () => made.create());
    return { claim: created.observation, writeFailure: undefined };
  } catch (error) {
    return { claim, writeFailure: { what: 'create', error: apiErrorOf(error) } };
  }
}

type Repairs = Readonly<Record<'mark' | 'grow', (claim: KubeObject) => JsonObject>>;

function repairsOf(workspace: KubeObject, { size }: WorkspaceSpec): Repairs {
  return {
    mark: (claim) => claimMarks(claim, workspace, MANAGED_BY),
    grow: (claim) => claimGrowth(claim, size) ?? {},
  };
}

async function repair(
  workspace: KubeObject,
  claim: KubeObject,
  made: MadeObject,
  repairs: Repairs,
): Promise<KeptClaim> {
  if (!isClaimOf(claim, workspace) || isTerminating(claim)) return kept(claim);
  let current = claim;
  for (const what of ['mark', 'grow'] as const) {
    try {
      if (what === 'mark' || mayGrow(current, made, repairs)) current = await made.repair(current, repairs[what]);
    } catch (error) {
      return kept(current, { what, error: apiErrorOf(error) });
    }
  }
  return kept(current);
}

/** Only a bound claim can grow. No claim is made smaller, even if admission had made it smaller. */
function mayGrow(claim: KubeObject, made: MadeObject, { grow }: Repairs): boolean {
  const size = claimSize(made.target(claim, grow));
  return isBound(claim) && size !== undefined && claimGrowth(claim, size) !== undefined;
}

function kept(claim: KubeObject, writeFailure?: ClaimWriteFailure): KeptClaim {
  return { claim: { type: 'found', value: claim }, writeFailure };
}

/**
 * The next pass handles a conflict with fresh reads. So a conflict and every error that is not an ApiError are
 * thrown again.
 */
function apiErrorOf(error: unknown): ApiError {
  if (!isApiError(error) || error.reason === 'Conflict') throw error;
  return error;
}
