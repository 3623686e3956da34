import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { checkAt, type Outcome, retry, settled, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { isClaimOf, recordedClaim } from '../claim.ts';
import { type ClusterHostSpec, offeredBy, parseClusterHost } from '../cluster-host/cluster-host.ts';
import { isFalse, notEvaluated } from '../findings.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Sessions, T4Workspaces } from '../kinds.ts';
import { type Reading, readByName } from '../reading.ts';
import { recheckSoon } from '../recheck.ts';
import type { Parsed } from '../spec-schema.ts';
import { finalizeWorkspace } from './finalize-workspace.ts';
import { judgeWorkspace, type WorkspaceView } from './judge-workspace.ts';
import { claimNameOf, keepClaim } from './keep-claim.ts';
import { parseWorkspace } from './workspace.ts';
import { releasedWorkspace, workspaceStatus } from './workspace-status.ts';

export const WORKSPACE_FINALIZER = 'cluster.t4.dev/workspace-protection';

/** Keeps a workspace's claim, and decides what becomes of it when the workspace goes. */
export function workspaceController(): Controller {
  return {
    name: 't4-workspace',
    group: 't4',
    type: T4Workspaces,
    owns: [PersistentVolumeClaims],
    reads: [
      { type: T4ClusterHosts, mode: 'watch' },
      // Listed when a workspace is deleted, and never before.
      { type: T4Sessions, mode: 'watch' },
    ],
    version: '1',
    conditions: ['HostReady', 'StorageReady', 'Ready'],
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
    const invalid = isFalse('Ready', 'InvalidSpec', parsed.message);
    const conditions = [notEvaluated('HostReady'), notEvaluated('StorageReady'), invalid];
    const status = workspaceStatus(workspace, conditions, 'Failed', undefined, context.nowMs);
    return { outcome: terminal('InvalidSpec', parsed.message), status };
  }
  const { namespace = '' } = workspace.metadata;
  const [hostObject, claimFound] = await Promise.all([
    readByName(context, T4ClusterHosts, { namespace, name: parsed.spec.hostRef }),
    readByName(context, PersistentVolumeClaims, claimNameOf(workspace)),
  ]);
  const host = parsedHost(hostObject);
  const hostSpec = offeredBy(hostObject);
  const { claim, writeFailure } = await keepClaim(workspace, parsed.spec, hostSpec, claimFound, context);
  const view: WorkspaceView = { workspace, host, claim, writeFailure };
  const { conditions, phase } = judgeWorkspace(view);
  return {
    outcome: outcomeOf(view, hostSpec !== undefined, context),
    status: workspaceStatus(workspace, conditions, phase, claim, context.nowMs),
  };
}

function parsedHost(host: Reading<KubeObject>): Reading<Parsed<ClusterHostSpec>> {
  return host.type === 'found' ? { type: 'found', value: parseClusterHost(host.value) } : host;
}

function outcomeOf(view: WorkspaceView, hasHost: boolean, context: ReconcileContext): Outcome {
  const { workspace, host, claim, writeFailure } = view;
  if (host.type === 'unread') return retry(host.error);
  if (claim.type === 'unread') return retry(claim.error);
  if (writeFailure !== undefined) return retry(writeFailure.error);
  if (claim.type === 'found' || !hasHost) return settled();
  // Recorded as gone now: the next pass, which no event of a claim that is gone brings, creates another.
  if (recordedClaim(workspace) !== undefined) return checkAt(context.nowMs);
  // It was there when it was to be created, and is not any more; who made it need not have been watched.
  return recheckSoon(context);
}
