import type { FinalizeResult } from '../../../core/controller.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { retry, settled } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { isClaimOf, RETAINED_ANNOTATION } from '../claim.ts';
import { isFalse, isUnknown, notEvaluated } from '../findings.ts';
import { PersistentVolumeClaims, T4Sessions } from '../kinds.ts';
import { type Reading, readAgain, readByName, unreadReason } from '../reading.ts';
import { textAt } from '../value-at.ts';
import { claimNameOf } from './keep-claim.ts';
import { workspaceStatus } from './workspace-status.ts';

const MAX_LISTED = 3;

/**
 * Sessions keep the workspace; then Delete removes its claim, and any other policy releases it. The list is the API
 * server's own, complete and live: one that fails proves nothing, and nothing is touched (R-1.17, R-4.5).
 */
export async function finalizeWorkspace(workspace: KubeObject, context: ReconcileContext): Promise<FinalizeResult> {
  const pending = pendingResult(workspace, context);
  const sessions = await sessionsOf(workspace, context);
  if (!Array.isArray(sessions)) return pending.unknown('Sessions', sessions);
  if (sessions.length > 0) {
    const using = sessions.length === 1 ? 'session uses' : 'sessions use';
    const message = `${sessions.length} ${using} the workspace: delete them first (${listed(sessions)}).`;
    return pending.waits('SessionsRemain', message);
  }
  const claim = await readByName(context, PersistentVolumeClaims, claimNameOf(workspace));
  if (claim.type === 'unread') return pending.unknown('PVC', claim.error);
  if (claim.type === 'absent') return { done: true };
  if (!isClaimOf(claim.value, workspace)) {
    const message =
      "The claim under the workspace's name is not the workspace's: it is left alone. Remove or rename it.";
    return pending.waits('CleanupOwnershipConflict', message);
  }
  try {
    const isReleased =
      textAt(workspace.spec, 'retentionPolicy') === 'Delete'
        ? await removed(workspace, claim.value, context)
        : await retained(workspace, claim.value, context);
    return isReleased ? { done: true } : pending.waits('Terminating', 'The claim is being removed.');
  } catch (error) {
    if (!isApiError(error)) throw error;
    return pending.failed(error);
  }
}

/** The names of the sessions that use it, sorted. */
async function sessionsOf({ metadata }: KubeObject, context: ReconcileContext): Promise<string[] | ApiError> {
  const { namespace = '', name } = metadata;
  try {
    const sessions = await context.list(T4Sessions, { namespace });
    const using = sessions.filter(({ spec }) => textAt(spec, 'workspaceRef') === name);
    return using.map((session) => session.metadata.name).sort();
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @returns whether the claim is confirmed to be gone. */
async function removed(workspace: KubeObject, claim: KubeObject, context: ReconcileContext): Promise<boolean> {
  await context.delete(PersistentVolumeClaims, claim);
  return confirm(await readAgain(context, PersistentVolumeClaims, claimNameOf(workspace)), () => false);
}

/** @returns whether the claim is confirmed to be marked as retained, with no owner reference that would take it along. */
async function retained(workspace: KubeObject, claim: KubeObject, context: ReconcileContext): Promise<boolean> {
  const { uid } = workspace.metadata;
  const ownerReferences = (claim.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
  await context.mergePatch(PersistentVolumeClaims, claim, {
    metadata: {
      annotations: { [RETAINED_ANNOTATION]: 'true' },
      ...(ownerReferences.length !== (claim.metadata.ownerReferences ?? []).length && {
        ownerReferences: ownerReferences.length === 0 ? null : ownerReferences.map((reference) => ({ ...reference })),
      }),
    },
  });
  return confirm(await readAgain(context, PersistentVolumeClaims, claimNameOf(workspace)), ({ metadata }) => {
    const isOwned = (metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
    return metadata.annotations?.[RETAINED_ANNOTATION] === 'true' && !isOwned;
  });
}

function confirm(claim: Reading<KubeObject>, isReleased: (claim: KubeObject) => boolean): boolean {
  if (claim.type === 'unread') throw claim.error;
  return claim.type === 'absent' || isReleased(claim.value);
}

function pendingResult(workspace: KubeObject, context: ReconcileContext) {
  const status = (ready: ReturnType<typeof isFalse>): JsonObject => {
    const conditions = [notEvaluated('HostReady'), notEvaluated('StorageReady'), ready];
    return workspaceStatus(workspace, conditions, 'Terminating', undefined, context.nowMs);
  };
  return {
    /** Until an event tells of a change. */
    waits: (reason: string, message: string): FinalizeResult => ({
      done: false,
      outcome: settled(),
      status: status(isFalse('Ready', reason, message)),
    }),
    /** An observation failed: nothing was done. */
    unknown: (subject: string, error: ApiError): FinalizeResult => {
      const { reason, message } = unreadReason(subject, error);
      return { done: false, outcome: retry(error), status: status(isUnknown('Ready', reason, message)) };
    },
    failed: (error: ApiError): FinalizeResult => ({
      done: false,
      outcome: retry(error),
      status: status(isFalse('Ready', 'Terminating', 'The claim could not be removed yet; it is tried again.')),
    }),
  };
}
