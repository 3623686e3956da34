import { z } from 'zod';
import type { ControllerGroups } from '../groups/registered-groups.ts';

/**
 * A controller group is installed when its section is there; without `groups`, the default ones are. What a section holds is for
 * its group alone to know.
 */
export function groupsSection(groups: ControllerGroups) {
  const sections = groups.map(({ name, section }) => [name, section.optional()] as const);
  const defaults = groups.filter(({ isDefault }) => isDefault).map(({ name }) => [name, {}] as const);
  return z.strictObject(Object.fromEntries(sections)).prefault(Object.fromEntries(defaults));
}
