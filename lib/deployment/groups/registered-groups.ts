import type { ControllerGroup } from '../../controllers/group.ts';
import * as registered from '../../controllers/groups.ts';

export type ControllerGroups = readonly ControllerGroup[];

/** The controller groups of this release, installed or not, sorted by name. */
export const GROUPS: ControllerGroups = Object.values<ControllerGroup>(registered).sort((left, right) =>
  left.name < right.name ? -1 : 1,
);
