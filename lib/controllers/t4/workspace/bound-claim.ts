import type { KubeObject } from '../../../core/kube-object.ts';
import type { DurableValues, ReconcileContext } from '../../../core/reconcile-context.ts';
import { isUnread, type Observation } from '../../../kit/observation.ts';
import { textAt } from '../../../kit/value-at.ts';
import { claimPhase, isClaimOf, recordedClaim } from './claim.ts';

/** On a workspace whose claim is lost: the UID of that claim. With it, a person accepts that the data is gone. */
export const REBUILD_ANNOTATION = 'cluster.t4.dev/rebuild';

/** The UID of the claim that was seen bound, in the workspace's item of the table, because a status can be edited. */
const BOUND_CLAIM = 'boundClaim';

/** Stays in the status of a workspace whose claim is lost. */
export const LOST_PHASE = 'Lost';

/**
 * The UID of a claim that was bound and is gone; undefined when there is none. Another claim in its place does
 * not bring the data back, so the first claim counts as gone, whatever the status says: a person, or a release that did
 * not know the value in the table, may have written the status.
 */
export function lostClaim(
  workspace: KubeObject,
  values: DurableValues,
  claim: Observation<KubeObject>,
): string | undefined {
  const bound = boundClaim(workspace, values);
  if (bound === undefined || isUnread(claim)) return undefined;
  if (claim.type === 'absent') return bound;
  return claim.value.metadata.uid === bound ? undefined : bound;
}

/** Whether a person accepted the loss of exactly this claim. */
export function mayRebuild({ metadata }: KubeObject, lost: string): boolean {
  return metadata.annotations?.[REBUILD_ANNOTATION] === lost;
}

/** Records a claim of the workspace that is bound, or was. The record is written before the status shows it. */
export async function rememberBound(
  workspace: KubeObject,
  claim: Observation<KubeObject>,
  context: ReconcileContext,
): Promise<void> {
  if (claim.type !== 'found' || !isClaimOf(claim.value, workspace)) return;
  const phase = claimPhase(claim.value);
  if (phase !== 'Bound' && phase !== LOST_PHASE) return;
  await context.saveValues({ ...context.values, [BOUND_CLAIM]: claim.value.metadata.uid });
}

export async function forgetBound(context: ReconcileContext): Promise<void> {
  const { [BOUND_CLAIM]: _, ...others } = context.values;
  await context.saveValues(others);
}

/**
 * The value in the table counts. Without one, as after an upgrade, the status counts: a claim in it that is not pending
 * may have held data.
 */
function boundClaim(workspace: KubeObject, { [BOUND_CLAIM]: bound }: DurableValues): string | undefined {
  if (typeof bound === 'string') return bound;
  return textAt(workspace.status, 'pvcPhase') === 'Pending' ? undefined : recordedClaim(workspace)?.uid;
}
