import type { ControllerGroup, GroupSecret } from '../../controllers/group.ts';
import { type ControllerGroups, GROUPS } from './registered-groups.ts';

/** A group that has a section in the settings. */
export interface InstalledGroup {
  readonly manifest: ControllerGroup;
  readonly section: unknown;
}

/** The groups that the settings install, sorted by name. @param groups the groups that exist. */
export function installedGroups(
  settings: { readonly groups: Readonly<Record<string, unknown>> },
  groups: ControllerGroups = GROUPS,
): InstalledGroup[] {
  return groups.flatMap((manifest) => {
    const section = settings.groups[manifest.name];
    return section === undefined ? [] : [{ manifest, section }];
  });
}

/** The secrets that a group needs with its settings. */
export function neededSecrets({ manifest, section }: InstalledGroup): GroupSecret[] {
  return (manifest.secrets ?? []).filter((secret) => secret.isNeeded(section));
}

/** The secrets that the deployment creates for these groups, without duplicates. */
export function madeSecrets(installed: readonly InstalledGroup[]): GroupSecret[] {
  const made = installed.flatMap(neededSecrets).filter(({ madeBy }) => madeBy === 'deployment');
  return [...new Map(made.map((secret) => [secret.name, secret])).values()];
}

/** The value of a setting; undefined when it, or a section above it, is left out. */
export function settingAt(section: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, field) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined,
    section,
  );
}
