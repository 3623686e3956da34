import type { Controller } from '../../core/controller.ts';
import type { SkinnyEvent } from '../../core/event.ts';
import { versionNumber } from '../../core/observation.ts';
import type { Rollout, RolloutHalt } from '../../core/rollout.ts';
import type { Target } from '../../core/target.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { ClusterStore, TargetState } from '../../ports/state-store.ts';

/** The version of a controller that reconciles an object in one pass. */
export interface ChosenVersion {
  readonly controller: Controller;
  /** Set if this is the new version of a rollout. */
  readonly rollout?: Rollout;
  /** The pass exists only because of the version: nothing else asked for it, and the object did not change. */
  readonly takesOver: boolean;
}

export interface VersionQuestion {
  readonly current: Controller;
  readonly rollout: Rollout | undefined;
  readonly event: SkinnyEvent;
  readonly state: TargetState;
  readonly api: ClusterApi;
  readonly store: ClusterStore;
}

/**
 * A new version takes over an object only in a pass that resync asked for because of the version. All that a user, a
 * dependency or a timer asks for goes on with the version that reconciled the object last. So what the new version does first
 * to an object can be compared with its plan, which knows no later change. A halt sends every object back at once.
 * @throws InfrastructureError
 */
export async function chooseVersion(question: VersionQuestion): Promise<ChosenVersion> {
  const { current, rollout, event, state, api, store } = question;
  const stays: ChosenVersion = { controller: current, takesOver: false };
  if (rollout === undefined) return stays;
  const isNext = state.reconcilerVersion === rollout.next.version;
  const takesOver = !isNext && isBecauseOfVersion(event, state);
  if (!isNext && !takesOver) return stays;
  const { target } = state;
  if (!(await isInShare(rollout, target, api, isNext))) return stays;
  const { halts } = await store.readCluster(target.cluster);
  return isHalted(rollout, halts?.[target.kind]) ? stays : { controller: rollout.next, rollout, takesOver };
}

export function isHalted({ next }: Rollout, halt: RolloutHalt | undefined): boolean {
  return halt?.version === next.version;
}

/** Resync found the object as its last pass left it. */
function isBecauseOfVersion(event: SkinnyEvent, { reconcilerVersion, observedVersion, incarnation }: TargetState) {
  if (event.cause !== 'resync' || event.changed !== undefined || reconcilerVersion === undefined) return false;
  return incarnation === event.incarnation && versionNumber(event.resourceVersion) === observedVersion;
}

/** @param isNext the answer when the labels cannot be read: the version that reconciled the object last goes on. */
async function isInShare({ share, next }: Rollout, target: Target, api: ClusterApi, isNext: boolean): Promise<boolean> {
  if (!share.needsLabels) return share.includes(target);
  try {
    const { metadata } = await api.get(next.type, target, { metadataOnly: true });
    return share.includes(target, metadata.labels);
  } catch (error) {
    // The version that runs finds out the same, and reports it.
    if (isApiError(error)) return isNext;
    throw error;
  }
}
