import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';

/** The field of a group's settings in which a person names the files of its secrets. */
export const SECRET_FILES = 'secretFiles';

/** The name becomes a part of names of queues (80 characters), roles and secrets. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
const NAME_RULE = '1 to 40 lower-case letters, digits and dashes, not at the ends';

/** What an author writes of a controller group. */
export interface GroupDefinition<Settings extends z.ZodObject, SecretName extends string> {
  /** Kebab-case. It never changes while a deployment exists: queues, function, roles, Lease and secrets carry it. */
  readonly name: string;
  /** What it does, in one sentence. Default: the kinds that it reconciles. */
  readonly about?: string;
  /**
   * The fields of the group's section in the settings, `groups.<name>`. A description (`.describe`, `.meta`) becomes its text
   * in the output of `evenkeel settings`. An unknown field is always refused. Never a secret: settings are visible.
   */
  readonly settings?: Settings;
  /** What each secret is, as a noun phrase, by its name in kebab-case, e.g. `{'api-token': 'the token of the DNS account'}`. */
  readonly secrets?: Readonly<Record<SecretName, string>>;
}

/** A controller group with settings and secrets of its own. `defineController` takes it as `group`. */
export interface Group<Settings = unknown, SecretName extends string = string> {
  readonly name: string;
  readonly about: string | undefined;
  readonly settings: z.ZodObject & z.ZodType<Settings>;
  readonly secrets: Readonly<Record<SecretName, string>>;
}

/**
 * Defines a controller group with its own settings and secrets. Its controllers name it as their `group`, and read
 * `context.settings` and `context.secret(name)`.
 * @throws EvenkeelError INVALID_GROUP, with the group and the field.
 */
export function defineGroup<
  Settings extends z.ZodObject = z.ZodObject<Record<never, never>>,
  SecretName extends string = never,
>(definition: GroupDefinition<Settings, SecretName>): Group<z.output<Settings>, SecretName> {
  const { name, about, settings = z.object({}), secrets = {} } = definition;
  const fault = faultOf(name, settings, secrets);
  if (fault !== undefined) throw new EvenkeelError('INVALID_GROUP', `group ${String(name)}: ${fault}`);
  return Object.freeze({
    name,
    about,
    settings: settings as Group<z.output<Settings>>['settings'],
    secrets: Object.freeze({ ...secrets }) as Readonly<Record<SecretName, string>>,
  });
}

function faultOf(name: unknown, settings: unknown, secrets: unknown): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name)) return `name: must be ${NAME_RULE}`;
  if (!(settings instanceof z.ZodObject)) {
    return 'settings: must be z.object({...}); write a transformation or a default at its fields';
  }
  if (Object.hasOwn(settings.shape, SECRET_FILES)) {
    return `settings.${SECRET_FILES}: is evenkeel's own field, for the files of the secrets; use another name`;
  }
  const loose = looseSection(settings, 'settings');
  if (loose !== undefined) return `${loose}: write z.strictObject, so that a misspelt field is refused`;
  if (typeof secrets !== 'object' || secrets === null) return 'secrets: must be an object of names and descriptions';
  for (const [secret, what] of Object.entries(secrets)) {
    if (!NAME.test(secret)) return `secrets.${secret}: its name must be ${NAME_RULE}`;
    if (typeof what !== 'string' || what === '') return `secrets.${secret}: must say what the secret is, as a text`;
  }
  return undefined;
}

/** The path of a section in these settings that drops unknown fields in silence. */
function looseSection({ shape }: z.ZodObject, path: string): string | undefined {
  for (const [field, schema] of Object.entries(shape)) {
    const section = withoutWrappers(schema);
    if (!(section instanceof z.ZodObject)) continue;
    if (section.def.catchall === undefined) return `${path}.${field}`;
    const inner = looseSection(section, `${path}.${field}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function withoutWrappers(schema: unknown): unknown {
  const { innerType, in: written } = (schema as { def: { innerType?: unknown; in?: unknown } }).def;
  const inner = innerType ?? written;
  return inner === undefined ? schema : withoutWrappers(inner);
}
