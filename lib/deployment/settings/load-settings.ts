import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, type ParsedNode } from 'yaml';
import type { z } from 'zod';
import { fieldSchema } from '../../controllers/field-note.ts';
import { FaultsError } from '../../core/errors.ts';
import { parseYaml } from '../files/parse-yaml.ts';
import { readText } from '../files/read-text.ts';
import { installedGroups, settingAt } from '../groups/installed-groups.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { groupMistakes } from './group-mistakes.ts';
import { settingsFaults } from './settings-faults.ts';
import { type Settings, settingsSchema, settingsSchemaOf } from './settings-schema.ts';
import { offsetOf, type YamlPath } from './yaml-position.ts';

/** A settings file was refused. The message has one line for each error: where, what, what is allowed, an example. */
export class SettingsError extends FaultsError {
  constructor(faults: readonly string[], cause?: unknown) {
    super('INVALID_SETTINGS', faults, { cause });
  }
}

export function defaultSettings(): Settings {
  return settingsSchema.parse({});
}

/**
 * Loads the settings of a file, or the defaults without one.
 * @param controllers absolute paths of modules with controllers, in addition to those of the file.
 * @param groups the controller groups that exist.
 * @throws SettingsError when the file cannot be read or is refused.
 */
export function settingsOf(
  file: string | undefined,
  controllers: readonly string[] = [],
  groups: ControllerGroups = GROUPS,
): Settings {
  if (file !== undefined) return loadSettings(file, controllers, groups);
  return settingsSchemaOf(groups).parse(withControllers({}, controllers));
}

/**
 * Loads settings for a command that leaves a cluster. It accepts values that a controller group refuses for a
 * deployment, such as clients in the realm of evenkeel's own account: an older release may have run with them, and
 * leaving needs only the groups.
 * @throws SettingsError when the file cannot be read, or does not have the form of settings.
 */
export function settingsToLeave(file: string | undefined, controllers: readonly string[] = []): Settings {
  return file === undefined
    ? settingsOf(file, controllers)
    : loadSettings(file, controllers, GROUPS, { checks: false });
}

/**
 * Loads the settings of a file, or the section `settings` of a stage's file.
 * @throws SettingsError when the file cannot be read or is refused.
 */
export function settingsToDeploy(file: string, groups: ControllerGroups = GROUPS): Settings {
  return readSettings(textOf(file), file, [], groups, { mayBeStage: true }).settings;
}

/** @throws SettingsError when the file cannot be read or is refused. */
export function loadSettings(
  file: string,
  controllers: readonly string[] = [],
  groups: ControllerGroups = GROUPS,
  options: ReadOptions = {},
): Settings {
  const { settings, placeOf } = readSettings(textOf(file), file, controllers, groups, options);
  if (settings.standby) {
    throw new SettingsError([
      `${placeOf(['standby'])}: standby: only a cloud deployment stands by. Remove it; evenkeel start --take-over takes a cluster over.`,
    ]);
  }
  resolveFiles(settings, file, groups);
  resolveRollout(settings, file, placeOf);
  if (settings.controllers !== undefined) {
    const files = settings.controllers.map((controller) => resolve(file, '..', controller));
    const written = settings.controllers.slice(0, files.length - controllers.length);
    const faults = written.flatMap((controller, index) => {
      const path = resolve(file, '..', controller);
      if (existsSync(path)) return [];
      const field = `controllers[${index}]`;
      return `${placeOf(['controllers', index])}: ${field}: there is no such file as ${path}. A path is relative to the settings file: correct it, or remove it.`;
    });
    if (faults.length > 0) throw new SettingsError(faults);
    settings.controllers = [...new Set(files)];
  }
  return settings;
}

/** The modules and the plan of a rollout. */
function resolveRollout({ rollout }: Settings, file: string, placeOf: (path: YamlPath) => string): void {
  if (rollout === undefined) return;
  const faults: string[] = [];
  const resolved = (path: string, place: YamlPath, field: string) => {
    const found = resolve(file, '..', path);
    if (!existsSync(found)) {
      faults.push(
        `${placeOf(place)}: ${field}: there is no such file as ${found}. A path is relative to the settings file: correct it.`,
      );
    }
    return found;
  };
  const { controllers, plan } = rollout;
  if (controllers !== undefined) {
    rollout.controllers = controllers.map((path, index) =>
      resolved(path, ['rollout', 'controllers', index], `rollout.controllers[${index}]`),
    );
  }
  if (plan !== undefined) rollout.plan = resolved(plan, ['rollout', 'plan'], 'rollout.plan');
  if (faults.length > 0) throw new SettingsError(faults);
}

/** Makes the paths of a settings file relative to its folder, wherever the program was started. */
function resolveFiles(settings: Settings, file: string, groups: ControllerGroups): void {
  for (const { manifest, section } of installedGroups(settings, groups)) {
    for (const { path } of manifest.files ?? []) {
      const written = settingAt(section, path);
      const holder = settingAt(section, path.slice(0, -1)) as Record<string, unknown>;
      if (typeof written === 'string') holder[path.at(-1) ?? ''] = resolve(file, '..', written);
    }
  }
}

/**
 * @param file only for messages.
 * @param controllers absolute paths of modules with controllers, in addition to those of the text.
 * @throws SettingsError, with file, line and column of every fault.
 */
export function parseSettings(
  text: string,
  file: string,
  controllers: readonly string[] = [],
  groups: ControllerGroups = GROUPS,
): Settings {
  return readSettings(text, file, controllers, groups).settings;
}

function textOf(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it could not be read (${code ?? 'unknown'})`;
    throw new SettingsError([`${file}: ${why}. Name the settings file with --settings FILE.`], error);
  }
}

interface ReadOptions {
  /** Whether the settings may be a section of a stage's file. */
  readonly mayBeStage?: boolean;
  /** Whether the controller groups check the settings. */
  readonly checks?: boolean;
}

/** @returns the settings, and the position of each field in the file. */
function readSettings(
  text: string,
  file: string,
  controllers: readonly string[],
  groups: ControllerGroups,
  { mayBeStage = false, checks = true }: ReadOptions = {},
) {
  const { contents, toJs, at } = parseYaml(text, file, (faults) => new SettingsError(faults));
  const root = mayBeStage && isStage(toJs(contents)) ? settingsSection(contents) : contents;
  const schema = settingsSchemaOf(groups);
  const values = withEmptySections(toJs(root), schema);
  const parsed = schema.safeParse(withControllers(values, controllers));
  const placeOf = (path: YamlPath) => at(offsetOf(root, path));
  const mistakes = (settings: Settings) => (checks ? groupMistakes(settings, groups) : []);
  const issues = parsed.success ? mistakes(parsed.data) : parsed.error.issues;
  if (parsed.success && issues.length === 0) return { settings: parsed.data, placeOf };
  throw new SettingsError(settingsFaults(schema, issues, root, at));
}

/**
 * Whether a file is a stage's file. Settings have no sections with these names, so the two kinds of file cannot be
 * confused.
 */
function isStage(written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return false;
  return Object.hasOwn(written, 'settings') || Object.hasOwn(written, 'cloud');
}

function settingsSection(contents: ParsedNode | null): ParsedNode | null {
  return isMap(contents) ? ((contents.get('settings', true) as ParsedNode | undefined) ?? null) : null;
}

/** Adds the modules of the command line to those of the file. With them, `groups: {}` is permitted too. */
function withControllers(values: unknown, controllers: readonly string[]): unknown {
  if (controllers.length === 0 || typeof values !== 'object' || values === null) return values;
  const { controllers: written = [] } = values as { controllers?: unknown };
  return Array.isArray(written) ? { ...values, controllers: [...written, ...controllers] } : values;
}

/** An empty section, as in `groups: {NAME: }`, counts as a section with its default values. */
function withEmptySections(value: unknown, schema: z.ZodType): unknown {
  const { shape } = fieldSchema(schema);
  if (shape === undefined) return value;
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      const fieldOfShape = Object.hasOwn(shape, field) ? shape[field] : undefined;
      return [field, fieldOfShape === undefined ? inner : withEmptySections(inner, fieldOfShape)];
    }),
  );
}
