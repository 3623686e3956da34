import { PROGRESS_CONDITIONS } from '../../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { reconcilerVersion } from '../../../core/reconciler-version.ts';
import { ConfigMaps, Secrets, StorageClasses } from '../../../core/resource-type.ts';
import { isExclusivelyOwned } from '../../../kit/owner-references.ts';
import { SESSION_CONTROLLER } from '../controller-names.ts';
import { PersistentVolumeClaims, Pods, Services, T4ClusterHosts, T4Sessions, T4Workspaces } from '../kinds.ts';
import { OmpConfigCheck } from '../omp/omp-config.ts';
import { POLL_INTERVAL_MS } from '../poll-interval.ts';
import type { T4Settings } from '../settings.ts';
import { finalizeSession } from './finalize-session.ts';
import { holdSession } from './hold-session.ts';
import { evaluateWithReads, type Installed } from './read-prerequisites.ts';
import { revokeInvalid, revokeSession } from './revoke-session.ts';
import { runSession } from './run-session.ts';
import { doubtOf } from './seen.ts';
import { parseSession } from './session.ts';
import { SessionChildren } from './session-children.ts';
import { SESSION_CONDITIONS } from './session-conditions.ts';
import { releasedSession } from './session-status.ts';

export const SESSION_FINALIZER = 'cluster.t4.dev/session-cleanup';

/** Creates the Pod and Service of a session while all its prerequisites hold, and removes them when one does not. */
export function sessionController(settings: T4Settings, digestKey: string | Uint8Array): Controller {
  const installed: Installed = { settings, digestKey, ompConfigCheck: new OmpConfigCheck() };
  return {
    name: SESSION_CONTROLLER,
    group: 't4',
    type: T4Sessions,
    owns: [Pods, Services],
    reads: [
      { type: T4ClusterHosts, mode: 'watch' },
      { type: T4Workspaces, mode: 'watch' },
      { type: StorageClasses, mode: 'watch' },
      { type: PersistentVolumeClaims, mode: 'watch-labelled' },
      { type: ConfigMaps, mode: 'poll', pollIntervalMs: POLL_INTERVAL_MS },
      { type: Secrets, mode: 'poll', pollIntervalMs: POLL_INTERVAL_MS },
    ],
    version: reconcilerVersion('2', { runtimeImage: settings.runtimeImage, omp: settings.omp }),
    conditions: [...SESSION_CONDITIONS, ...PROGRESS_CONDITIONS],
    finalizer: SESSION_FINALIZER,
    isOwned: (object, session) => isExclusivelyOwned(object, T4Sessions, session),
    reconcile: (session, context) => reconcile(session, context, installed),
    finalize: finalizeSession,
    released: releasedSession,
  };
}

async function reconcile(
  session: KubeObject,
  context: ReconcileContext,
  installed: Installed,
): Promise<ReconcileResult> {
  const children = await SessionChildren.read(session, context);
  const parsed = parseSession(session);
  if (!parsed.valid) return await revokeInvalid(session, children, parsed.message, context);

  const evaluated = await evaluateWithReads(session, parsed.spec, installed, context);
  children.doubt = doubtOf(evaluated.seen);
  switch (evaluated.verdict.type) {
    case 'authorized':
      return await runSession(session, children, evaluated, context);
    case 'refused':
      return await revokeSession(session, children, evaluated.verdict, context);
    case 'undecided':
      return await holdSession(session, children, evaluated.verdict, context);
  }
}
