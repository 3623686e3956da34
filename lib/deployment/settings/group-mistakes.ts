import type { z } from 'zod';
import { installedGroups } from '../groups/installed-groups.ts';
import type { ControllerGroups } from '../groups/registered-groups.ts';

/**
 * The values that the controller groups refuse in settings that a person wrote, as issues of the whole settings
 * (R-6.4).
 */
export function groupMistakes(
  settings: { readonly groups: Readonly<Record<string, unknown>> },
  groups: ControllerGroups,
): z.core.$ZodIssue[] {
  return installedGroups(settings, groups).flatMap(({ manifest, section }) =>
    (manifest.mistakes?.(section) ?? []).map(({ path, message, written }) => ({
      code: 'custom' as const,
      path: ['groups', manifest.name, ...path],
      message,
      input: written,
    })),
  );
}
