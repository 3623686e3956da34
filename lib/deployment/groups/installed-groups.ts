import type { ControllerGroup, GroupSecret } from '../../controllers/group.ts';
import { type ControllerGroups, GROUPS } from './registered-groups.ts';

/** A group whose section the settings have. */
export interface InstalledGroup {
  readonly manifest: ControllerGroup;
  readonly section: unknown;
}

/** The groups that the settings install, sorted by name. @param groups those that there are. */
export function installedGroups(
  settings: { readonly groups: Readonly<Record<string, unknown>> },
  groups: ControllerGroups = GROUPS,
): InstalledGroup[] {
  return groups.flatMap((manifest) => {
    const section = settings.groups[manifest.name];
    return section === undefined ? [] : [{ manifest, section }];
  });
}

/** The secrets that a group works with, as its settings are. */
export function neededSecrets({ manifest, section }: InstalledGroup): GroupSecret[] {
  return (manifest.secrets ?? []).filter((secret) => secret.isNeeded(section));
}

/** Those that the deployment makes for some of the groups, each once. */
export function madeSecrets(installed: readonly InstalledGroup[]): GroupSecret[] {
  const made = installed.flatMap(neededSecrets).filter(({ madeBy }) => madeBy === 'deployment');
  return [...new Map(made.map((secret) => [secret.name, secret])).values()];
}

/** What a setting of a section is; undefined where it, or a section above it, is left out. */
export function settingAt(section: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, field) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined,
    section,
  );
}
