import type { KubeObject } from '../../../core/kube-object.ts';
import { claimName } from '../child-name.ts';
import { offeredBy } from '../cluster-host/cluster-host.ts';
import type { OmpFaultReason } from '../omp/omp-config.ts';
import { hasValues } from '../omp/omp-secret.ts';
import { areValidReferences, isDigestImage } from '../settings.ts';
import { bindsAtFirstUse, offersReadWriteMany } from '../storage-class.ts';
import { isBound, isClaimOf, isReadWriteMany, recordedClaim, storageClassOf } from '../workspace/claim.ts';
import { parseWorkspace } from '../workspace/workspace.ts';
import { objectOf, type Seen, type Subject } from './seen.ts';
import type { PrerequisiteCondition } from './session-conditions.ts';

export interface Check {
  readonly reason: string;
  /** The condition that is False when the check fails. */
  readonly condition: PrerequisiteCondition;
  /** What must have been read before the check can be evaluated. */
  readonly on?: Subject;
  /** Whether it checks again what the condition is already based on. */
  readonly repeats?: true;
  holds(seen: Seen): boolean;
  message(seen: Seen): string;
}

const says = (message: string) => () => message;

/**
 * The checks that must pass before a session gets a Pod, in this order. The first that fails is reported, and no later one is
 * evaluated.
 */
export const CHECKS: readonly Check[] = [
  {
    reason: 'RuntimeImageMissing',
    condition: 'RuntimeConfigured',
    holds: ({ settings }) => (settings.runtimeImage ?? '') !== '',
    message: says("The installation names no image for sessions: set runtimeImage in its settings' groups.t4."),
  },
  {
    reason: 'RuntimeImageInvalid',
    condition: 'RuntimeConfigured',
    holds: ({ settings }) => isDigestImage(settings.runtimeImage ?? ''),
    message: says(
      "The installation's image is not named by its digest: write it as repository@sha256:<64 hex digits>.",
    ),
  },
  {
    reason: 'OMPReferencesMissing',
    condition: 'RuntimeConfigured',
    holds: ({ settings }) => settings.omp !== undefined,
    message: says("The installation names no OMP ConfigMap and Secret: set omp in its settings' groups.t4."),
  },
  {
    reason: 'OMPReferencesInvalid',
    condition: 'RuntimeConfigured',
    holds: ({ settings }) => settings.omp !== undefined && areValidReferences(settings.omp),
    message: says("The installation's OMP ConfigMap and Secret have names or keys that no object can have."),
  },

  {
    reason: 'HostNotFound',
    condition: 'HostReady',
    on: 'host',
    holds: (seen) => objectOf(seen, 'host') !== undefined,
    message: says('The T4ClusterHost does not exist: create it.'),
  },
  {
    reason: 'RuntimeProfileNotAllowed',
    condition: 'HostReady',
    on: 'host',
    holds: (seen) => offeredBy(seen.readings.host)?.runtimeProfiles.includes(seen.spec.runtimeProfile) === true,
    message: says('The T4ClusterHost does not allow the runtime profile, or its specification is invalid.'),
  },
  {
    reason: 'StorageClassNotFound',
    condition: 'HostReady',
    on: 'storageClass',
    holds: (seen) => objectOf(seen, 'storageClass') !== undefined,
    message: says("The host's StorageClass does not exist."),
  },
  {
    reason: 'StorageClassNotRWX',
    condition: 'HostReady',
    on: 'storageClass',
    holds: (seen) => isSome(objectOf(seen, 'storageClass'), offersReadWriteMany),
    message: says("The host's StorageClass does not offer ReadWriteMany."),
  },

  {
    reason: 'WorkspaceNotFound',
    condition: 'WorkspaceReady',
    on: 'workspace',
    holds: (seen) => objectOf(seen, 'workspace') !== undefined,
    message: says('The T4Workspace does not exist: create it.'),
  },
  {
    reason: 'HostMismatch',
    condition: 'WorkspaceReady',
    on: 'workspace',
    holds: (seen) => hostRefOf(objectOf(seen, 'workspace')) === seen.spec.hostRef,
    message: says('The T4Workspace belongs to another host than the session, or its specification is invalid.'),
  },
  {
    reason: 'PVCNotDeclared',
    condition: 'WorkspaceReady',
    on: 'workspace',
    holds: (seen) => isSome(objectOf(seen, 'workspace'), (workspace) => recordedClaim(workspace) !== undefined),
    message: says("The T4Workspace's status names no claim yet."),
  },
  {
    reason: 'PVCIdentityMismatch',
    condition: 'WorkspaceReady',
    on: 'claim',
    holds: (seen) =>
      isSome(objectOf(seen, 'workspace'), (workspace) => namesItsClaim(workspace, objectOf(seen, 'claim'))),
    message: says("The claim is another one than the T4Workspace's status names."),
  },
  {
    reason: 'PVCNotFound',
    condition: 'WorkspaceReady',
    on: 'claim',
    holds: (seen) => objectOf(seen, 'claim') !== undefined,
    message: says("The workspace's claim does not exist."),
  },
  {
    reason: 'PVCOwnershipConflict',
    condition: 'WorkspaceReady',
    on: 'claim',
    holds: (seen) => isOwnClaim(seen, 'claim'),
    message: says("The claim under the workspace's name is not the workspace's."),
  },
  {
    reason: 'StorageClassMismatch',
    condition: 'WorkspaceReady',
    on: 'claim',
    holds: (seen) => isOfHostsClass(seen, 'claim'),
    message: says("The workspace's claim is not of the host's StorageClass."),
  },
  {
    reason: 'PVCNotBoundRWX',
    condition: 'WorkspaceReady',
    on: 'claim',
    holds: (seen) => isSome(objectOf(seen, 'claim'), isUsable),
    message: (seen) =>
      isSome(objectOf(seen, 'storageClass'), bindsAtFirstUse)
        ? "The workspace's claim is not bound, and its StorageClass binds it only when a Pod uses it: see the host's StorageReady."
        : "The workspace's claim is not bound as a ReadWriteMany file system, or is being deleted.",
  },

  {
    reason: 'OMPConfigMapNotFound',
    condition: 'RuntimeConfigured',
    on: 'configMap',
    holds: (seen) => objectOf(seen, 'configMap') !== undefined,
    message: ({ settings }) => `ConfigMap ${settings.omp?.configMap.name} does not exist in this namespace: create it.`,
  },
  ompConfigCheck('OMPConfigMapInvalid'),
  ompConfigCheck('OMPModelsAuthenticationUnsafe'),
  ompConfigCheck('OMPSettingsAuthenticationUnsafe'),
  {
    reason: 'OMPSecretNotFound',
    condition: 'RuntimeConfigured',
    on: 'secret',
    holds: (seen) => objectOf(seen, 'secret') !== undefined,
    message: ({ settings }) => `Secret ${settings.omp?.secret.name} does not exist in this namespace: create it.`,
  },
  {
    reason: 'OMPSecretInvalid',
    condition: 'RuntimeConfigured',
    on: 'secret',
    holds: (seen) =>
      isSome(objectOf(seen, 'secret'), (secret) => hasValues(secret, seen.settings.omp?.secret.keys ?? [])),
    message: ({ settings }) =>
      `Secret ${settings.omp?.secret.name} must have a value under each of its keys: ${settings.omp?.secret.keys.join(', ')}.`,
  },

  {
    reason: 'PVCAuthorityChanged',
    condition: 'WorkspaceReady',
    on: 'claimAgain',
    repeats: true,
    holds: (seen) => hasAuthority(seen),
    message: says("The workspace's claim was replaced or changed while the session was being evaluated."),
  },
];

/** Whether the claim of the last read is still the one that was evaluated, and still fulfils the checks. */
export function hasAuthority(seen: Seen): boolean {
  const [evaluated, claim] = [objectOf(seen, 'claim'), objectOf(seen, 'claimAgain')];
  return (
    claim !== undefined &&
    claim.metadata.uid === evaluated?.metadata.uid &&
    isOwnClaim(seen, 'claimAgain') &&
    isOfHostsClass(seen, 'claimAgain') &&
    isUsable(claim)
  );
}

function ompConfigCheck(reason: OmpFaultReason): Check {
  const faultOf = (seen: Seen) => {
    const { omp } = seen.settings;
    const configMap = objectOf(seen, 'configMap');
    return omp && configMap && seen.ompConfigCheck.check(configMap, omp.configMap);
  };
  return {
    reason,
    condition: 'RuntimeConfigured',
    on: 'configMap',
    holds: (seen) => faultOf(seen)?.reason !== reason,
    message: (seen) => faultOf(seen)?.message ?? '',
  };
}

/** Nothing in an invalid specification can be trusted. */
function hostRefOf(workspace: KubeObject | undefined): string | undefined {
  const parsed = workspace && parseWorkspace(workspace);
  return parsed?.valid === true ? parsed.spec.hostRef : undefined;
}

function namesItsClaim(workspace: KubeObject, claim: KubeObject | undefined): boolean {
  const recorded = recordedClaim(workspace);
  const isSameUid = claim === undefined || claim.metadata.uid === recorded?.uid;
  return recorded?.name === claimName(workspace.metadata) && isSameUid;
}

function isOwnClaim(seen: Seen, subject: 'claim' | 'claimAgain'): boolean {
  const [workspace, claim] = [objectOf(seen, 'workspace'), objectOf(seen, subject)];
  return workspace !== undefined && claim !== undefined && isClaimOf(claim, workspace);
}

function isOfHostsClass(seen: Seen, subject: 'claim' | 'claimAgain'): boolean {
  const className = offeredBy(seen.readings.host)?.storageClassName;
  return className !== undefined && isSome(objectOf(seen, subject), (claim) => storageClassOf(claim) === className);
}

function isUsable(claim: KubeObject): boolean {
  return isReadWriteMany(claim) && isBound(claim);
}

function isSome(object: KubeObject | undefined, holds: (object: KubeObject) => boolean): boolean {
  return object !== undefined && holds(object);
}
