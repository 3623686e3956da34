import { z } from 'zod';
import type { ControllerGroup } from '../../controllers/group.ts';
import type { Controller } from '../../core/controller.ts';
import { EvenkeelError, errorLines } from '../../core/errors.ts';
import type { GroupValues } from '../../kit/group/group-values.ts';
import { readText } from '../files/read-text.ts';
import { installedGroups, neededSecrets } from '../groups/installed-groups.ts';
import type { ControllerGroups } from '../groups/registered-groups.ts';
import { installedRegistry } from '../installation/installed-registry.ts';
import { groupsSection } from '../settings/group-sections.ts';
import { resolveFiles, SettingsError, withEmptySections } from '../settings/load-settings.ts';
import { settingsFaults } from '../settings/settings-faults.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { sourceOf } from '../settings/settings-source.ts';
import { authorGroups } from './author-groups.ts';
import { fileSecrets } from './group-secrets.ts';

type Section = Readonly<Record<string, unknown>>;

/** Of the groups of an author's modules, on one machine. */
export interface ConfiguredGroups {
  readonly controllers: readonly Controller[];
  /** A line for each secret that cannot be read now, with what to do. */
  secretFaults(): Promise<string[]>;
}

/**
 * Gives the controllers of modules the settings and secrets of their groups.
 * @param options.shipped the groups of this release.
 * @param options.others controllers of other modules, whose groups may have sections too.
 * @throws SettingsError with file, line and column of each section that its group refuses, or that belongs to no group.
 */
export function configureGroups(
  controllers: readonly Controller[],
  settings: Pick<Settings, 'groups'>,
  options: {
    readonly shipped: ControllerGroups;
    readonly unknownFields?: 'refused' | 'dropped';
    readonly others?: readonly Controller[];
  },
): ConfiguredGroups {
  const { shipped, unknownFields, others = [] } = options;
  const own = authorGroups(controllers, [], unknownFields);
  const names = new Set(own.map(({ name }) => name));
  const besides = authorGroups(others).filter(({ name }) => !names.has(name));
  const sections = parseSections(settings, own, [...shipped, ...besides]);
  const installed = installedGroups(sections, own);
  const clients = Object.fromEntries(
    installed.map(({ manifest: { name }, section }) => [name, fileSecrets(name, section as Section, readText)]),
  );
  return {
    controllers: installedRegistry(sections, { clients, groups: own }).controllers,
    secretFaults: async () => {
      const faults: string[] = [];
      for (const group of installed) {
        for (const { file = [] } of neededSecrets(group)) {
          faults.push(...(await faultsOf(clients[group.manifest.name], file.at(-1) ?? '')));
        }
      }
      return faults;
    },
  };
}

async function faultsOf(read: GroupValues['secret'] | undefined, name: string): Promise<readonly string[]> {
  try {
    await read?.(name);
    return [];
  } catch (error) {
    if (error instanceof EvenkeelError) return errorLines(error);
    throw error;
  }
}

function parseSections(
  settings: Pick<Settings, 'groups'>,
  own: ControllerGroups,
  others: readonly ControllerGroup[],
): Pick<Settings, 'groups'> {
  const schema = z.object({ groups: groupsSection([...others, ...own]) });
  const known = new Set(others.map(({ name }) => name));
  const installed = Object.fromEntries(own.map(({ name }) => [name, {}]));
  const written = Object.entries(settings.groups).filter(([name]) => !known.has(name));
  const groups = { ...installed, ...Object.fromEntries(written) };
  const parsed = schema.safeParse(withEmptySections({ groups }, schema));
  const source = sourceOf(settings);
  if (parsed.success) {
    if (source !== undefined) resolveFiles(parsed.data, source.file, own);
    return parsed.data;
  }
  const at = source?.at ?? (() => 'no settings file is named (--settings FILE)');
  throw new SettingsError(settingsFaults(schema, parsed.error.issues, source?.root ?? null, at));
}
