import { claimName, sessionChildName } from '../../../lib/controllers/t4/child-name.ts';
import {
  PersistentVolumeClaims,
  Pods,
  Services,
  T4ClusterHosts,
  T4Sessions,
  T4Workspaces,
} from '../../../lib/controllers/t4/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, type ResourceType, Secrets, StorageClasses } from '../../../lib/core/resource-type.ts';
import type { ClusterView, Fault } from '../../../lib/testing/simulation/workload.ts';
import { isRightImage } from './t4-admission.ts';
import { replacedForNothing } from './t4-annotations.ts';

export const T4_NAMESPACE = 'default';
/** A user writes this on a workspace whose claim the user removes: the UID of that claim. */
export const LOST_ANNOTATION = 'sim.example/lost';

/** What is wrong with the reached state, computed only from the objects. */
export function checkT4(cluster: ClusterView): Fault[] {
  return [
    ...cluster.list(T4ClusterHosts).flatMap((host) => hostFaults(cluster, host)),
    ...cluster.list(T4Workspaces).flatMap((workspace) => workspaceFaults(cluster, workspace)),
    ...cluster.list(T4Sessions).flatMap((session) => sessionFaults(cluster, session)),
    ...orphans(cluster),
    ...replacedForNothing(cluster),
  ];
}

interface Spec {
  readonly hostRef: string;
  readonly workspaceRef: string;
  readonly runtimeProfile: string;
  readonly runtimeProfiles: readonly string[];
  readonly storageClassName: string;
  readonly retentionPolicy: string;
}

const specOf = ({ spec }: KubeObject) => spec as Spec;
const statusOf = ({ status }: KubeObject) => (status ?? {}) as Record<string, string | undefined>;
const named = (name: string) => ({ namespace: T4_NAMESPACE, name });

function isOwned(object: KubeObject, { metadata }: KubeObject): boolean {
  const [only, ...others] = object.metadata.ownerReferences ?? [];
  return others.length === 0 && only?.controller === true && only.uid === metadata.uid;
}

export function isOwnClaim(claim: KubeObject, workspace: KubeObject): boolean {
  if (isOwned(claim, workspace)) return true;
  const { labels, annotations, ownerReferences = [], uid } = claim.metadata;
  const recorded = statusOf(workspace).pvcUID;
  return (
    specOf(workspace).retentionPolicy === 'Retain' &&
    ownerReferences.length === 0 &&
    labels?.['cluster.t4.dev/workspace'] === workspace.metadata.name &&
    annotations?.['cluster.t4.dev/workspace-uid'] === workspace.metadata.uid &&
    (recorded === undefined || recorded === uid)
  );
}

function storageFault(cluster: ClusterView, host: KubeObject): string | undefined {
  const storageClass = cluster.get(StorageClasses, { namespace: '', name: specOf(host).storageClassName });
  if (storageClass === undefined) return 'StorageClassNotFound';
  const modes = storageClass.metadata.annotations?.['cluster.t4.dev/access-modes'];
  return modes === 'ReadWriteMany' ? undefined : 'StorageClassNotRWX';
}

/** Conditions as `status reason`; also checks the generation. */
function expectConditions(object: KubeObject, expected: Readonly<Record<string, string>>): Fault[] {
  const about = `${object.kind} ${object.metadata.name}`;
  const found = readConditions(object.status);
  return Object.entries(expected).flatMap(([type, wanted]) => {
    const condition = found.find((each) => each.type === type);
    const said = condition === undefined ? 'nothing' : `${condition.status} ${condition.reason}`;
    if (!new RegExp(`^(${wanted})$`).test(said))
      return [`${about} says ${said} of ${type}, and it should say ${wanted}`];
    return condition?.observedGeneration === object.metadata.generation
      ? []
      : [`${about} speaks of another generation in ${type}`];
  });
}

function hostFaults(cluster: ClusterView, host: KubeObject): Fault[] {
  const fault = storageFault(cluster, host);
  return expectConditions(host, { Available: fault === undefined ? 'True HostAvailable' : `False ${fault}` });
}

/** What a workspace or a session that is being deleted waits for, and only users can change. */
export function keptBy(cluster: ClusterView, target: KubeObject): string | undefined {
  const { kind, metadata } = target;
  if (kind === T4Sessions.kind) return hasForeignChild(cluster, target) ? 'CleanupOwnershipConflict' : undefined;
  if (kind !== T4Workspaces.kind) return undefined;
  const remain = cluster.list(T4Sessions).some((session) => specOf(session).workspaceRef === metadata.name);
  if (remain) return 'SessionsRemain';
  const claim = cluster.get(PersistentVolumeClaims, named(claimName(metadata)));
  return claim !== undefined && !isOwnClaim(claim, target) ? 'CleanupOwnershipConflict' : undefined;
}

function childrenOf(cluster: ClusterView, { metadata }: KubeObject): (KubeObject | undefined)[] {
  const name = named(sessionChildName(metadata));
  return [Pods, Services].map((type) => cluster.get(type, name));
}

function hasForeignChild(cluster: ClusterView, session: KubeObject): boolean {
  return childrenOf(cluster, session).some((child) => child !== undefined && !isOwned(child, session));
}

function workspaceFaults(cluster: ClusterView, workspace: KubeObject): Fault[] {
  const { name, deletionTimestamp } = workspace.metadata;
  const claim = cluster.get(PersistentVolumeClaims, named(claimName(workspace.metadata)));
  if (deletionTimestamp !== undefined) {
    const reason = keptBy(cluster, workspace);
    if (reason !== undefined) return expectConditions(workspace, { Ready: `False ${reason}` });
    return [`T4Workspace ${name} is still being deleted`];
  }
  const host = cluster.get(T4ClusterHosts, named(specOf(workspace).hostRef));
  if (host === undefined) {
    return expectConditions(workspace, {
      HostReady: 'False HostNotFound',
      StorageReady: 'Unknown NotEvaluated',
      Ready: 'False HostNotFound',
    });
  }
  const replaced = replacedFault(claim, workspace);
  if (replaced !== undefined) return [replaced];
  const fault = claim === undefined ? 'DataMissing' : claimFault(claim, workspace, host);
  const storage = fault === undefined ? 'True PVCBound' : `False ${fault}`;
  const ready = fault === undefined ? 'True WorkspaceReady' : `False ${fault}`;
  const faults = expectConditions(workspace, { HostReady: 'True HostFound', StorageReady: storage, Ready: ready });
  if (claim === undefined || fault === 'DataMissing') return faults;
  if (fault !== 'PVCOwnershipConflict' && statusOf(workspace).pvcUID !== claim.metadata.uid)
    faults.push(`T4Workspace ${name} records another claim than it has`);
  return faults;
}

/** Nothing may replace a claim that had data, until its owner permits it. */
function replacedFault(claim: KubeObject | undefined, workspace: KubeObject): string | undefined {
  const { name, annotations = {} } = workspace.metadata;
  const lost = annotations[LOST_ANNOTATION];
  if (claim === undefined || lost === undefined || !isOwnClaim(claim, workspace)) return undefined;
  const isAccepted = annotations['cluster.t4.dev/rebuild'] === lost || claim.metadata.uid === lost;
  return isAccepted ? undefined : `T4Workspace ${name} has another claim in place of one that held its data`;
}

function claimFault(claim: KubeObject, workspace: KubeObject, host: KubeObject): string | undefined {
  if (!isOwnClaim(claim, workspace)) return 'PVCOwnershipConflict';
  if (specOf(claim).storageClassName !== specOf(host).storageClassName) return 'StorageClassMismatch';
  if (claim.metadata.deletionTimestamp !== undefined) return 'PVCTerminating';
  return statusOf(claim).phase === 'Bound' ? undefined : 'PVCPending';
}

const HOST = 'True HostVerified';
const WORKSPACE = 'True WorkspaceVerified';
const NOT_REACHED = 'Unknown NotEvaluated';

function sessionFaults(cluster: ClusterView, session: KubeObject): Fault[] {
  const name = `T4Session ${session.metadata.name}`;
  const children = childrenOf(cluster, session);
  const [pod, service] = children;
  const isForeign = hasForeignChild(cluster, session);
  if (session.metadata.deletionTimestamp !== undefined) {
    const reason = keptBy(cluster, session);
    return reason === undefined
      ? [`${name} is still being deleted`]
      : expectConditions(session, { Available: `False ${reason}` });
  }
  const refusal = refusalOf(cluster, session);
  if (refusal !== undefined) {
    const { reason, shown } = refusal;
    // Nobody watches a later object of somebody else, so it may not have been noticed.
    const available = isForeign ? `False ${reason}|False ResourceOwnershipConflict` : `False ${reason}`;
    const left = children.filter((child) => child !== undefined && isOwned(child, session));
    return [
      ...expectConditions(session, { ...shown, Available: available }),
      ...left.map(
        (child): Fault => ({ invariant: 'I10', what: `${name} is revoked, and its ${child?.kind} is there` }),
      ),
      ...(statusOf(session).podName === undefined ? [] : [`${name} is revoked, and names a Pod`]),
    ];
  }
  const shown = { HostReady: HOST, WorkspaceReady: WORKSPACE, RuntimeConfigured: 'True RuntimeVerified' };
  if (isForeign) return expectConditions(session, { ...shown, Available: 'False ResourceOwnershipConflict' });
  if (pod === undefined || service === undefined)
    return [`${name} may run, and has no ${pod === undefined ? 'Pod' : 'Service'}`];
  return [
    ...expectConditions(session, { ...shown, Available: 'True PodReady' }),
    ...(isAsAsked(cluster, pod, service, session) ? [] : [`${name} has a Pod or a Service that is not as it must be`]),
  ];
}

function isAsAsked(cluster: ClusterView, pod: KubeObject, service: KubeObject, session: KubeObject): boolean {
  const made = JSON.stringify(pod.spec);
  const workspace = cluster.get(T4Workspaces, named(specOf(session).workspaceRef));
  const { spec } = service as unknown as { spec: { type: string; selector: object; ports: { port: number }[] } };
  return (
    made.includes(`{"name":"T4_RUNTIME_PROFILE","value":"${specOf(session).runtimeProfile}"}`) &&
    workspace !== undefined &&
    made.includes(`{"claimName":"${claimName(workspace.metadata)}"}`) &&
    isRightImage(pod) &&
    spec.type === 'ClusterIP' &&
    spec.ports.length === 1 &&
    spec.ports[0]?.port === 8787 &&
    JSON.stringify(spec.selector) === JSON.stringify({ 'cluster.t4.dev/session-uid': session.metadata.uid }) &&
    [pod, service].every(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'evenkeel')
  );
}

interface Refusal {
  readonly reason: string;
  readonly shown: Readonly<Record<string, string>>;
}

function refusalOf(cluster: ClusterView, session: KubeObject): Refusal | undefined {
  const spec = specOf(session);
  const host = cluster.get(T4ClusterHosts, named(spec.hostRef));
  const ofHost = hostRefusal(cluster, host, spec);
  if (ofHost !== undefined) return refusal(ofHost, [`False ${ofHost}`, NOT_REACHED, NOT_REACHED]);
  const workspace = cluster.get(T4Workspaces, named(spec.workspaceRef));
  const ofWorkspace = workspaceRefusal(cluster, workspace, spec, host);
  if (ofWorkspace !== undefined) return refusal(ofWorkspace, [HOST, `False ${ofWorkspace}`, NOT_REACHED]);
  const ofOmp = ompRefusal(cluster);
  return ofOmp === undefined ? undefined : refusal(ofOmp, [HOST, WORKSPACE, `False ${ofOmp}`]);
}

function refusal(reason: string, [host, workspace, runtime]: readonly [string, string, string]): Refusal {
  return { reason, shown: { HostReady: host, WorkspaceReady: workspace, RuntimeConfigured: runtime } };
}

function hostRefusal(cluster: ClusterView, host: KubeObject | undefined, spec: Spec): string | undefined {
  if (host === undefined) return 'HostNotFound';
  if (!specOf(host).runtimeProfiles.includes(spec.runtimeProfile)) return 'RuntimeProfileNotAllowed';
  return storageFault(cluster, host);
}

function workspaceRefusal(
  cluster: ClusterView,
  workspace: KubeObject | undefined,
  spec: Spec,
  host: KubeObject | undefined,
): string | undefined {
  if (workspace === undefined) return 'WorkspaceNotFound';
  if (specOf(workspace).hostRef !== spec.hostRef) return 'HostMismatch';
  const { pvcName, pvcUID } = statusOf(workspace);
  if (pvcName === undefined || pvcUID === undefined) return 'PVCNotDeclared';
  const claim = cluster.get(PersistentVolumeClaims, named(claimName(workspace.metadata)));
  if (claim === undefined) return 'PVCNotFound';
  if (claim.metadata.uid !== pvcUID) return 'PVCIdentityMismatch';
  if (!isOwnClaim(claim, workspace)) return 'PVCOwnershipConflict';
  if (host === undefined || specOf(claim).storageClassName !== specOf(host).storageClassName)
    return 'StorageClassMismatch';
  const isBound = statusOf(claim).phase === 'Bound' && claim.metadata.deletionTimestamp === undefined;
  return isBound ? undefined : 'PVCNotBoundRWX';
}

function ompRefusal(cluster: ClusterView): string | undefined {
  const data = (type: ResourceType, name: string) =>
    cluster.get(type, named(name)) as { data?: Record<string, string> } | undefined;
  const configMap = data(ConfigMaps, 'omp-config');
  if (configMap === undefined) return 'OMPConfigMapNotFound';
  const { 'models.yml': models = '', 'settings.yml': settings = '' } = configMap.data ?? {};
  if (models.includes('providers: {}') || settings.includes('&')) return 'OMPConfigMapInvalid';
  if (models.includes('token:')) return 'OMPModelsAuthenticationUnsafe';
  if (settings.includes('password')) return 'OMPSettingsAuthenticationUnsafe';
  const secret = data(Secrets, 'omp-credentials');
  if (secret === undefined) return 'OMPSecretNotFound';
  return (secret.data?.token ?? '') !== '' && (secret.data?.second ?? '') !== '' ? undefined : 'OMPSecretInvalid';
}

/** Pods and Services of sessions that are gone. */
function orphans(cluster: ClusterView): Fault[] {
  const alive = new Set(cluster.list(T4Sessions).map(({ metadata }) => metadata.uid));
  return ([Pods, Services] as const).flatMap((type) =>
    cluster.list(type).flatMap(({ metadata }): Fault[] => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === T4Sessions.kind);
      const isLeft = owner !== undefined && !alive.has(owner.uid);
      return isLeft
        ? [{ invariant: 'I6', what: `${type.kind} ${metadata.name} is left of a session that is gone` }]
        : [];
    }),
  );
}
