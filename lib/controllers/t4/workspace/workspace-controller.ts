import { PROGRESS_CONDITIONS } from '../../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionFalse, notEvaluated } from '../../../kit/conditions.ts';
import { isUnread, type Observation, observeObject } from '../../../kit/observation.ts';
import type { Parsed } from '../../../kit/parse-spec.ts';
import { type ClusterHostSpec, offeredBy, parseClusterHost } from '../cluster-host/cluster-host.ts';
import { WORKSPACE_CONTROLLER } from '../controller-names.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Sessions, T4Workspaces } from '../kinds.ts';
import { recheckSoon } from '../recheck.ts';
import { forgetBound, lostClaim, mayRebuild, rememberBound } from './bound-claim.ts';
import { isClaimOf, recordedClaim } from './claim.ts';
import { evaluateWorkspace, type WorkspaceView } from './evaluate-workspace.ts';
import { finalizeWorkspace } from './finalize-workspace.ts';
import { claimNameOf, type KeptClaim, keepClaim } from './keep-claim.ts';
import { parseWorkspace, type WorkspaceSpec } from './workspace.ts';
import { releasedWorkspace, workspaceStatus } from './workspace-status.ts';

export const WORKSPACE_FINALIZER = 'cluster.t4.dev/workspace-protection';

/** Creates and repairs the claim of a workspace, and removes or releases it when the workspace is deleted. */
export function workspaceController(): Controller {
  return {
    name: WORKSPACE_CONTROLLER,
    group: 't4',
    type: T4Workspaces,
    owns: [PersistentVolumeClaims],
    reads: [
      { type: T4ClusterHosts, mode: 'watch' },
      // Listed only when a workspace is deleted.
      { type: T4Sessions, mode: 'watch' },
    ],
    version: '1',
    conditions: ['HostReady', 'StorageReady', 'Ready', ...PROGRESS_CONDITIONS],
    finalizer: WORKSPACE_FINALIZER,
    isOwned: isClaimOf,
    reconcile,
    finalize: finalizeWorkspace,
    released: releasedWorkspace,
  };
}

async function reconcile(workspace: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const parsed = parseWorkspace(workspace);
  if (!parsed.valid) {
    const invalid = conditionFalse('Ready', 'InvalidSpec', parsed.message);
    const conditions = [notEvaluated('HostReady'), notEvaluated('StorageReady'), invalid];
    const status = workspaceStatus(workspace, conditions, 'Failed', undefined, context.nowMs);
    return { outcome: terminal('InvalidSpec', parsed.message), status };
  }
  const { namespace = '' } = workspace.metadata;
  const [hostObject, claimFound] = await Promise.all([
    observeObject(context, T4ClusterHosts, { namespace, name: parsed.spec.hostRef }),
    observeObject(context, PersistentVolumeClaims, claimNameOf(workspace)),
  ]);
  const host = parsedHost(hostObject);
  const hostSpec = offeredBy(hostObject);
  const lost = lostClaim(workspace, context.values, claimFound);
  if (lost !== undefined && mayRebuild(workspace, lost)) {
    return await rebuild(workspace, host, context);
  }
  const { claim, writeFailure } =
    lost === undefined
      ? await keepBound(workspace, parsed.spec, hostSpec, claimFound, context)
      : { claim: claimFound, writeFailure: undefined };
  const view: WorkspaceView = { workspace, host, claim, writeFailure, lost };
  const { conditions, phase } = evaluateWorkspace(view);
  return {
    outcome: outcomeOf(view, hostSpec !== undefined, context),
    progressing: phase === 'Pending',
    status: workspaceStatus(workspace, conditions, phase, claim, context.nowMs, lost),
  };
}

async function keepBound(
  workspace: KubeObject,
  spec: WorkspaceSpec,
  host: ClusterHostSpec | undefined,
  found: Observation<KubeObject>,
  context: ReconcileContext,
): Promise<KeptClaim> {
  const kept = await keepClaim(workspace, spec, host, found, context);
  await rememberBound(workspace, kept.claim, context);
  return kept;
}

/**
 * Forgets the lost claim, in the table and in the status. No event brings the next pass. That pass finds no record, and
 * creates a claim or takes the one that a person restored.
 */
async function rebuild(
  workspace: KubeObject,
  host: WorkspaceView['host'],
  context: ReconcileContext,
): Promise<ReconcileResult> {
  await forgetBound(context);
  const absent = { type: 'absent' } as const;
  const view: WorkspaceView = { workspace, host, claim: absent, writeFailure: undefined, lost: undefined };
  const { conditions, phase } = evaluateWorkspace(view);
  const status = workspaceStatus(workspace, conditions, phase, absent, context.nowMs);
  return { outcome: isUnread(host) ? retry(host.error) : checkAt(context.nowMs), status };
}

function parsedHost(host: Observation<KubeObject>): Observation<Parsed<ClusterHostSpec>> {
  return host.type === 'found' ? { type: 'found', value: parseClusterHost(host.value) } : host;
}

function outcomeOf(view: WorkspaceView, hasHost: boolean, context: ReconcileContext): Outcome {
  const { workspace, host, claim, writeFailure, lost } = view;
  if (isUnread(host)) return retry(host.error);
  if (isUnread(claim)) return retry(claim.error);
  if (writeFailure !== undefined) return retry(writeFailure.error);
  if (claim.type === 'found' || !hasHost || lost !== undefined) return settled();
  // The claim is now recorded as gone. The next pass creates another one; no event of a missing claim brings that pass, so a
  // timer does.
  if (recordedClaim(workspace) !== undefined) return checkAt(context.nowMs);
  // The object under the name existed at the time of the create, and does not exist any more. Its removal may not have
  // been watched.
  return recheckSoon(context);
}
