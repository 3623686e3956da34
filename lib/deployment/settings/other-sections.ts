import type { ControllerGroups } from '../groups/registered-groups.ts';

/** The sections of groups that are not of this release, as a person wrote them. */
export type OtherSections = Readonly<Record<string, unknown>>;

/**
 * Takes the sections of other groups out of written settings. Where modules of an author are named, they may be of the
 * groups in these modules, which are loaded later.
 */
export function splitSections(
  values: unknown,
  groups: ControllerGroups,
): { readonly values: unknown; readonly others: OtherSections } {
  if (!isSection(values) || !isSection(values.groups)) return { values, others: {} };
  const known = new Set(groups.map(({ name }) => name));
  const entries = Object.entries(values.groups);
  const others = entries.filter(([name]) => !known.has(name));
  if (others.length === 0) return { values, others: {} };
  const own = entries.filter(([name]) => known.has(name));
  return { values: { ...values, groups: Object.fromEntries(own) }, others: Object.fromEntries(others) };
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
