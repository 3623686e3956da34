import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import {
  conditionFalse,
  conditionOfAll,
  conditionTrue,
  conditionUnknown,
  notEvaluated,
} from '../../../kit/conditions.ts';
import { refusedCondition, unreadCondition } from '../../../kit/failure-conditions.ts';
import { isUnread, type Observation } from '../../../kit/observation.ts';
import type { Parsed } from '../../../kit/parse-spec.ts';
import type { ApiError } from '../../../ports/cluster-api.ts';
import type { ClusterHostSpec } from '../cluster-host/cluster-host.ts';
import { REBUILD_ANNOTATION } from './bound-claim.ts';
import { claimPhase, isBound, isClaimOf, isReadWriteMany, isTerminating, storageClassOf } from './claim.ts';

export type WorkspacePhase = 'Pending' | 'Ready' | 'Failed' | 'Terminating' | 'Unknown';

/** The write that failed, in addition to the reads. */
export interface ClaimWriteFailure {
  readonly what: 'create' | 'mark' | 'grow';
  readonly error: ApiError;
}

export interface WorkspaceView {
  readonly workspace: KubeObject;
  readonly host: Observation<Parsed<ClusterHostSpec>>;
  /** The claim under the workspace's name, after the writes of this pass. */
  readonly claim: Observation<KubeObject>;
  readonly writeFailure: ClaimWriteFailure | undefined;
  /** The UID of a claim that was bound and is gone. The data of the workspace is lost with it. */
  readonly lost: string | undefined;
}

/** Reasons to wait, which are no failures. */
const PENDING_REASONS: ReadonlySet<string> = new Set(['PVCPending', 'PVCMissing']);

export function evaluateWorkspace(view: WorkspaceView): { conditions: ConditionInput[]; phase: WorkspacePhase } {
  const host = hostReady(view.host);
  const storage = host.status === 'True' ? storageReady(view) : notEvaluated('StorageReady');
  const whenTrue = { type: 'Ready', reason: 'WorkspaceReady', message: 'Sessions can use the workspace.' };
  const ready = conditionOfAll([host, storage], whenTrue);
  return { conditions: [host, storage, ready], phase: phaseOf(ready) };
}

function phaseOf({ status, reason }: ConditionInput): WorkspacePhase {
  if (status === 'True') return 'Ready';
  if (status === 'Unknown') return 'Unknown';
  return PENDING_REASONS.has(reason) ? 'Pending' : 'Failed';
}

function hostReady(host: WorkspaceView['host']): ConditionInput {
  const type = 'HostReady';
  switch (host.type) {
    case 'absent':
      return conditionFalse(type, 'HostNotFound', 'The T4ClusterHost does not exist: create it.');
    case 'denied':
    case 'failed':
      return unreadCondition(type, 'Host', host);
    case 'found':
      return host.value.valid
        ? conditionTrue(type, 'HostFound', 'The T4ClusterHost exists.')
        : conditionFalse(type, 'HostInvalid', "The T4ClusterHost's specification is invalid: see its conditions.");
  }
}

function storageReady({ workspace, host, claim, writeFailure, lost }: WorkspaceView): ConditionInput {
  const type = 'StorageReady';
  if (isUnread(claim)) return unreadCondition(type, 'PVC', claim);
  if (writeFailure !== undefined) return writeFailed(type, writeFailure);
  if (lost !== undefined && !isForeign(claim, workspace)) return dataMissing(type, lost);
  if (claim.type === 'absent') return conditionFalse(type, 'PVCMissing', 'The claim does not exist; it is created.');
  const className = host.type === 'found' && host.value.valid ? host.value.spec.storageClassName : undefined;
  const fault = CLAIM_FAULTS.find(({ holds }) => !holds(claim.value, workspace, className));
  return fault === undefined
    ? conditionTrue(type, 'PVCBound', 'The claim is bound.')
    : conditionFalse(type, fault.reason, fault.message);
}

function isForeign(claim: Observation<KubeObject>, workspace: KubeObject): boolean {
  return claim.type === 'found' && !isClaimOf(claim.value, workspace);
}

function dataMissing(type: string, lost: string): ConditionInput {
  const message = `The claim that held the data (UID ${lost}) is gone, and it is not replaced. To continue without that data, with an empty claim or one that you restored under its name, annotate the workspace: ${REBUILD_ANNOTATION}=${lost}`;
  return conditionFalse(type, 'DataMissing', message);
}

/** Checked in this order; the first that does not hold is reported. */
const CLAIM_FAULTS: readonly {
  readonly reason: string;
  readonly message: string;
  holds(claim: KubeObject, workspace: KubeObject, className: string | undefined): boolean;
}[] = [
  {
    reason: 'PVCOwnershipConflict',
    message: "The claim under the workspace's name is not the workspace's: it is left alone. Remove it or rename it.",
    holds: (claim, workspace) => isClaimOf(claim, workspace),
  },
  {
    reason: 'PVCNotRWX',
    message: 'The claim is no ReadWriteMany file system.',
    holds: (claim) => isReadWriteMany(claim),
  },
  {
    reason: 'StorageClassMismatch',
    message: "The claim is not of the host's StorageClass. It is not replaced, since its data would be lost.",
    holds: (claim, _, className) => storageClassOf(claim) === className,
  },
  {
    reason: 'PVCLost',
    message: 'The claim lost its volume.',
    holds: (claim) => claimPhase(claim) !== 'Lost',
  },
  {
    reason: 'PVCTerminating',
    message: 'The claim is being deleted. When it is gone, its data is.',
    holds: (claim) => !isTerminating(claim),
  },
  {
    reason: 'PVCPending',
    message: "The claim is not bound yet. If it stays so, see the host's StorageReady and the events of the claim.",
    holds: (claim) => isBound(claim),
  },
];

function writeFailed(type: string, { what, error }: ClaimWriteFailure): ConditionInput {
  const { refusal } = error;
  const isOther = refusal?.by === 'quota' || refusal?.by === 'authorization';
  if (what === 'grow' && (error.reason === 'Forbidden' || error.reason === 'Invalid') && !isOther) {
    const message = 'The claim cannot grow: its StorageClass must allow volume expansion, and quotas must leave room.';
    return conditionFalse(type, 'PVCGrowthRefused', message);
  }
  const failed = conditionUnknown(type, 'PVCWriteFailed', 'The claim could not be written; it is tried again.');
  return refusedCondition(type, 'Writing the claim', error) ?? failed;
}
