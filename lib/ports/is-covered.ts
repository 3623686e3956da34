import { recordedVersion } from '../core/observation.ts';
import type { Cover, TargetState } from './state-store.ts';

/** The one rule of when an item covers an event; a table judges it in the condition of `acquire`. */
export function isCovered(cover: Cover | undefined, state: TargetState): boolean {
  switch (cover?.type) {
    case undefined:
      return false;
    case 'self':
      return state.incarnation === cover.incarnation && (state.observedVersion ?? -1) >= cover.version;
    case 'object':
      return (
        state.incarnation === cover.incarnation &&
        (recordedVersion(state.versions, cover.object) ?? -1) >= cover.version
      );
    case 'due':
      return state.committedEpoch > cover.epoch;
  }
}
