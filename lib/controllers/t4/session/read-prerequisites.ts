import type { KubeObject, ObjectName } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../core/resource-type.ts';
import { ABSENT, foundValue, type Observation, observeAgain, observeObject } from '../../../kit/observation.ts';
import { claimName } from '../child-name.ts';
import { offeredBy } from '../cluster-host/cluster-host.ts';
import { PersistentVolumeClaims, T4ClusterHosts, T4Workspaces } from '../kinds.ts';
import { evaluateSession, type Verdict } from './evaluate-session.ts';
import type { Readings, Seen, Subject } from './seen.ts';
import type { SessionSpec } from './session.ts';

/** The inputs of the checks that are the same for all sessions of an installation. */
export type Installed = Pick<Seen, 'settings' | 'digestKey' | 'ompConfigCheck'>;

/** A verdict with the reads that it is based on. */
export interface Evaluated {
  readonly seen: Seen;
  readonly verdict: Exclude<Verdict, { type: 'wants' }>;
}

/**
 * Reads the objects that the checks need, and evaluates the checks. Host and workspace, and their StorageClass and
 * claim, are read before any check is evaluated. So every change of them starts a pass of the session, whichever check
 * it fails. The OMP ConfigMap and Secret are polled, so they are read only when the checks reach them.
 */
export async function evaluateWithReads(
  session: KubeObject,
  spec: SessionSpec,
  installed: Installed,
  context: ReconcileContext,
): Promise<Evaluated> {
  const { namespace = '' } = session.metadata;
  const readings = await readWatched(namespace, spec, context);
  return await evaluateToEnd({ spec, ...installed, readings }, namespace, context);
}

/** Evaluates the claim again, in its present state. */
export async function evaluateAgain(
  { seen }: Evaluated,
  session: KubeObject,
  context: ReconcileContext,
): Promise<Evaluated> {
  const { claimAgain: _, ...readings } = seen.readings;
  return await evaluateToEnd({ ...seen, readings }, session.metadata.namespace ?? '', context);
}

async function evaluateToEnd(before: Seen, namespace: string, context: ReconcileContext): Promise<Evaluated> {
  let seen = before;
  for (;;) {
    const verdict = evaluateSession(seen);
    if (verdict.type !== 'wants') return { seen, verdict };
    const reading = await readWanted(verdict.subject, seen, namespace, context);
    seen = { ...seen, readings: { ...seen.readings, [verdict.subject]: reading } };
  }
}

async function readWatched(namespace: string, spec: SessionSpec, context: ReconcileContext): Promise<Readings> {
  const [host, workspace] = await Promise.all([
    observeObject(context, T4ClusterHosts, { namespace, name: spec.hostRef }),
    observeObject(context, T4Workspaces, { namespace, name: spec.workspaceRef }),
  ]);
  const [storageClass, claim] = await Promise.all([
    readStorageClass(host, context),
    readClaim(workspace, (name) => observeObject(context, PersistentVolumeClaims, name)),
  ]);
  return { host, workspace, storageClass, claim };
}

async function readStorageClass(
  host: Observation<KubeObject>,
  context: ReconcileContext,
): Promise<Observation<KubeObject>> {
  const className = offeredBy(host)?.storageClassName;
  return className === undefined
    ? ABSENT
    : await observeObject(context, StorageClasses, { namespace: '', name: className });
}

async function readClaim(
  workspace: Observation<KubeObject>,
  read: (name: ObjectName) => Promise<Observation<KubeObject>>,
): Promise<Observation<KubeObject>> {
  const object = foundValue(workspace);
  if (object === undefined) return ABSENT;
  const { namespace = '' } = object.metadata;
  return await read({ namespace, name: claimName(object.metadata) });
}

async function readWanted(
  subject: Subject,
  { settings, readings }: Seen,
  namespace: string,
  context: ReconcileContext,
): Promise<Observation<KubeObject>> {
  const byName = async (type: ResourceType, name: string | undefined) =>
    name === undefined ? ABSENT : await observeObject(context, type, { namespace, name });
  switch (subject) {
    case 'configMap':
      return await byName(ConfigMaps, settings.omp?.configMap.name);
    case 'secret':
      return await byName(Secrets, settings.omp?.secret.name);
    case 'claimAgain':
      return await readClaim(readings.workspace, (name) => observeAgain(context, PersistentVolumeClaims, name));
    case 'host':
    case 'workspace':
    case 'storageClass':
    case 'claim':
      return readings[subject];
  }
}
