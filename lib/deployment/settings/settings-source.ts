import type { ParsedNode } from 'yaml';

/** Where settings are written, for the faults that are found only when the modules of an author are loaded. */
export interface SettingsSource {
  readonly file: string;
  /** The settings in the file. */
  readonly root: ParsedNode | null;
  /** Formats an offset into the file. */
  at(offset: number): string;
}

/** By the sections of the groups, which every copy of the settings has in common. */
const sources = new WeakMap<object, SettingsSource>();

export function rememberSource(settings: { readonly groups: object }, source: SettingsSource): void {
  sources.set(settings.groups, source);
}

/** Undefined for settings without a file. */
export function sourceOf({ groups }: { readonly groups: object }): SettingsSource | undefined {
  return sources.get(groups);
}
