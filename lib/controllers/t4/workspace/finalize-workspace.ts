import type { FinalizeResult } from '../../../core/controller.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { retry, settled } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionFalse, notEvaluated } from '../../../kit/conditions.ts';
import { deleteAndObserve } from '../../../kit/ensure-owned.ts';
import { listedNames, unreadCondition } from '../../../kit/failure-conditions.ts';
import {
  foundValue,
  isUnread,
  knownValue,
  type Observation,
  observe,
  observeAgain,
  observeObject,
  type Unread,
} from '../../../kit/observation.ts';
import { textAt } from '../../../kit/value-at.ts';
import { type ApiError, isApiError } from '../../../ports/cluster-api.ts';
import { PersistentVolumeClaims, T4Sessions } from '../kinds.ts';
import { isClaimOf, RETAINED_ANNOTATION } from './claim.ts';
import { claimNameOf } from './keep-claim.ts';
import { workspaceStatus } from './workspace-status.ts';

/** Names of objects are shown whole. */
const MAX_NAME_LENGTH = 253;

/**
 * Sessions keep the workspace. Without sessions, Delete removes the claim, and any other policy releases it. The list of
 * sessions is a live and complete list of the API server. A list that fails proves nothing, and then nothing is changed
 * (R-1.17, R-4.5).
 */
export async function finalizeWorkspace(workspace: KubeObject, context: ReconcileContext): Promise<FinalizeResult> {
  const pending = pendingResult(workspace, context);
  const sessions = await sessionsOf(workspace, context);
  if (isUnread(sessions)) return pending.unknown('Sessions', sessions);
  const names = foundValue(sessions) ?? [];
  if (names.length > 0) {
    const using = names.length === 1 ? 'session uses' : 'sessions use';
    const message = `${names.length} ${using} the workspace: delete them first (${listedNames(names, MAX_NAME_LENGTH)}).`;
    return pending.waits('SessionsRemain', message);
  }
  const claim = await observeObject(context, PersistentVolumeClaims, claimNameOf(workspace));
  if (isUnread(claim)) return pending.unknown('PVC', claim);
  if (claim.type === 'absent') return { done: true };
  if (!isClaimOf(claim.value, workspace)) {
    const message =
      "The claim under the workspace's name is not the workspace's: it is left alone. Remove or rename it.";
    return pending.waits('CleanupOwnershipConflict', message);
  }
  try {
    const isReleased =
      textAt(workspace.spec, 'retentionPolicy') === 'Delete'
        ? await removed(claim.value, context)
        : await retained(workspace, claim.value, context);
    return isReleased ? { done: true } : pending.waits('Terminating', 'The claim is being removed.');
  } catch (error) {
    if (!isApiError(error)) throw error;
    return pending.failed(error);
  }
}

/** The names of the sessions that use it, sorted. */
function sessionsOf({ metadata }: KubeObject, context: ReconcileContext): Promise<Observation<string[]>> {
  const { namespace = '', name } = metadata;
  return observe(async () => {
    const sessions = await context.list(T4Sessions, { namespace });
    const using = sessions.filter(({ spec }) => textAt(spec, 'workspaceRef') === name);
    return using.map((session) => session.metadata.name).sort();
  });
}

/** @returns whether the claim is confirmed to be gone. */
async function removed(claim: KubeObject, context: ReconcileContext): Promise<boolean> {
  return knownValue(await deleteAndObserve(context, PersistentVolumeClaims, claim)) === undefined;
}

/** @returns whether the claim is confirmed to be marked as retained, without an owner reference that would delete it. */
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
  const left = knownValue(await observeAgain(context, PersistentVolumeClaims, claimNameOf(workspace)));
  if (left === undefined) return true;
  const isOwned = (left.metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
  return left.metadata.annotations?.[RETAINED_ANNOTATION] === 'true' && !isOwned;
}

function pendingResult(workspace: KubeObject, context: ReconcileContext) {
  const status = (ready: ReturnType<typeof conditionFalse>): JsonObject => {
    const conditions = [notEvaluated('HostReady'), notEvaluated('StorageReady'), ready];
    return workspaceStatus(workspace, conditions, 'Terminating', undefined, context.nowMs);
  };
  return {
    /** Waits until an event reports a change. */
    waits: (reason: string, message: string): FinalizeResult => ({
      done: false,
      outcome: settled(),
      status: status(conditionFalse('Ready', reason, message)),
    }),
    /** A read failed, and nothing was changed. */
    unknown: (subject: string, unread: Unread): FinalizeResult => ({
      done: false,
      outcome: retry(unread.error),
      status: status(unreadCondition('Ready', subject, unread)),
    }),
    failed: (error: ApiError): FinalizeResult => ({
      done: false,
      outcome: retry(error),
      status: status(conditionFalse('Ready', 'Terminating', 'The claim could not be removed yet; it is tried again.')),
    }),
  };
}
