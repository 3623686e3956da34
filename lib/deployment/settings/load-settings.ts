import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { FaultsError } from '../../core/errors.ts';
import { readText } from '../files/read-text.ts';
import { fieldSchema } from './field-note.ts';
import { settingsFaults } from './settings-faults.ts';
import { type Settings, settingsSchema } from './settings-schema.ts';
import { offsetOf, type YamlPath } from './yaml-position.ts';

const MAX_FILE_BYTES = 1_048_576;

/** A settings file was refused. The message has one line for each fault: where, what, what is allowed, an example. */
export class SettingsError extends FaultsError {
  constructor(faults: readonly string[], cause?: unknown) {
    super('INVALID_SETTINGS', faults, { cause });
  }
}

export function defaultSettings(): Settings {
  return settingsSchema.parse({});
}

/**
 * The settings of a file, or the defaults without one.
 * @param controllers modules with controllers that are named in addition to the file, absolute.
 * @throws SettingsError when the file cannot be read or is refused.
 */
export function settingsOf(file: string | undefined, controllers: readonly string[] = []): Settings {
  if (file !== undefined) return loadSettings(file, controllers);
  return settingsSchema.parse(withControllers({}, controllers));
}

/** @throws SettingsError when the file cannot be read or is refused. */
export function loadSettings(file: string, controllers: readonly string[] = []): Settings {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it could not be read (${code ?? 'unknown'})`;
    throw new SettingsError([`${file}: ${why}. Name the settings file with --settings FILE.`], error);
  }
  const { settings, placeOf } = readSettings(text, file, controllers);
  const mutation = settings.groups['secret-contract']?.mutation;
  // A path in a settings file is meant from where the file lies, wherever the program was started.
  if (mutation?.digestKeyFile !== undefined && !isAbsolute(mutation.digestKeyFile)) {
    mutation.digestKeyFile = resolve(file, '..', mutation.digestKeyFile);
  }
  const identity = settings.groups['control-plane']?.identity;
  if (identity?.clientSecretFile !== undefined && !isAbsolute(identity.clientSecretFile)) {
    identity.clientSecretFile = resolve(file, '..', identity.clientSecretFile);
  }
  if (identity?.caFile !== undefined && !isAbsolute(identity.caFile)) {
    identity.caFile = resolve(file, '..', identity.caFile);
  }
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

/**
 * @param file only for messages.
 * @param controllers modules with controllers that are named in addition to the text.
 * @throws SettingsError naming every fault with file, line and column.
 */
export function parseSettings(text: string, file: string, controllers: readonly string[] = []): Settings {
  return readSettings(text, file, controllers).settings;
}

/** @returns in addition to the settings, where a field of them is written. */
function readSettings(text: string, file: string, controllers: readonly string[]) {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    throw new SettingsError([`${file}: larger than 1 MiB; settings are a short YAML file. See docs/settings.md.`]);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2' });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new SettingsError(
      document.errors.map((error) => `${at(error.pos[0])}: not valid YAML: ${error.message}. See docs/settings.md.`),
    );
  }
  let written: unknown;
  try {
    written = document.toJS({ maxAliasCount: 10 });
  } catch {
    throw new SettingsError([`${file}: has too many YAML aliases. Write the values out.`]);
  }
  const values = withEmptySections(written, settingsSchema);
  const parsed = settingsSchema.safeParse(withControllers(values, controllers));
  const placeOf = (path: YamlPath) => at(offsetOf(document.contents, path));
  if (parsed.success) return { settings: parsed.data, placeOf };
  throw new SettingsError(settingsFaults(parsed.error.issues, document.contents, at));
}

/** Named on the command line, they count like those of the file: with them alone `groups: {}` is allowed, too. */
function withControllers(values: unknown, controllers: readonly string[]): unknown {
  if (controllers.length === 0 || typeof values !== 'object' || values === null) return values;
  const { controllers: written = [] } = values as { controllers?: unknown };
  return Array.isArray(written) ? { ...values, controllers: [...written, ...controllers] } : values;
}

/** A section with nothing written in it, as in `groups: {secret-contract: }`, is there with its defaults. */
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
