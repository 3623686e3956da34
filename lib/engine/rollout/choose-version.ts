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
  /** Whether the pass exists only because of the version: nothing else asked for it, and the object did not change. */
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
 * A new version takes over an object only in a pass that resync requested because of the version. In every pass that a
 * user, a dependency or a timer requests, the version that reconciled the object last continues. So the first writes of
 * the new version to an object can be compared with its plan, which knows no later change. A halt returns every object
 * to the old version at once.
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

/** Whether resync found the object as its last pass left it. */
function isBecauseOfVersion(event: SkinnyEvent, { reconcilerVersion, observedVersion, incarnation }: TargetState) {
  if (event.cause !== 'resync' || event.changed !== undefined || reconcilerVersion === undefined) return false;
  return incarnation === event.incarnation && versionNumber(event.resourceVersion) === observedVersion;
}

/** @param isNext the answer when the labels cannot be read: the version that reconciled the object last continues. */
async function isInShare({ share, next }: Rollout, target: Target, api: ClusterApi, isNext: boolean): Promise<boolean> {
  if (!share.needsLabels) return share.includes(target);
  try {
    const { metadata } = await api.get(next.type, target, { metadataOnly: true });
    return share.includes(target, metadata.labels);
  } catch (error) {
    // The running version gets the same error, and reports it.
    if (isApiError(error)) return isNext;
    throw error;
  }
}
