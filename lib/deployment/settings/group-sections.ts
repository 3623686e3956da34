import { z } from 'zod';
import type { ControllerGroups } from '../groups/registered-groups.ts';

/**
 * A controller group is installed when it has a section; without `groups`, the default groups are installed. Only the
 * group itself knows the fields of its section.
 */
export function groupsSection(groups: ControllerGroups) {
  const sections = groups.map(({ name, section }) => [name, section.optional()] as const);
  const defaults = groups.filter(({ isDefault }) => isDefault).map(({ name }) => [name, {}] as const);
  return z.strictObject(Object.fromEntries(sections)).prefault(Object.fromEntries(defaults));
}
