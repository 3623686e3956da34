import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { type Settings, settingsSchemaOf } from '../settings/settings-schema.ts';

/** The limit of Lambda for the variables of a function, and of SSM for a standard parameter, is 4 KB. */
const MAX_LENGTH = 4_000;
/** Longer settings are packed. Earlier releases cannot read packed settings, and never wrote longer ones. */
const LONGEST_PLAIN = 3_000;
/** The prefix of packed settings: base64 of their gzip follows. */
const PACKED = 'gzip:';
/** The limit for unpacked settings. */
const MAX_UNPACKED_BYTES = 1_048_576;
const VARIABLE = 'the variable EVENKEEL_SETTINGS of this function';

/** The fields that can be checked before the groups of an author's modules are known. */
const writtenShape = z.looseObject({
  groups: z.record(z.string(), z.unknown()).optional(),
  controllers: z.array(z.string()).optional(),
});

/** Settings as a person writes them, e.g. `{"intervals": {"resync": "10m"}}`. */
export type WrittenSettings = Readonly<Record<string, unknown>>;

/**
 * The settings of a deployment. Its name is the stage's name, unless the settings have another one.
 * @param groups the controller groups that exist.
 */
export function cloudSettings(stage: string, written: WrittenSettings, groups: ControllerGroups = GROUPS): Settings {
  return settingsSchemaOf(groups).parse({ installation: stage, ...written });
}

/**
 * Encodes settings for a variable of a function or for the stage's parameter.
 * @param longestPlain longer settings, in characters, are packed.
 * @throws EvenkeelError SETTINGS_TOO_LONG
 */
export function encodeCloudSettings(written: WrittenSettings, longestPlain = LONGEST_PLAIN): string {
  const plain = JSON.stringify(written);
  if (plain.length <= longestPlain) return plain;
  const text = `${PACKED}${gzipSync(plain, { level: 9 }).toString('base64')}`;
  if (text.length <= MAX_LENGTH) return text;
  throw settingsTooLong(`the settings take ${text.length} characters when they are packed`, MAX_LENGTH);
}

export function settingsTooLong(what: string, limit: number): EvenkeelError {
  return new EvenkeelError(
    'SETTINGS_TOO_LONG',
    `${what}, and a function can be given ${limit}. Limit the scope by a label instead of by so many namespaces, or split the deployment.`,
  );
}

/**
 * Decodes settings that encodeCloudSettings wrote.
 * @param where the name of the variable or parameter with the text, for the error message.
 * @throws EvenkeelError BROKEN_DEPLOYMENT
 */
export function readWrittenSettings(text: string, where = VARIABLE): z.infer<typeof writtenShape> {
  try {
    return writtenShape.parse(JSON.parse(unpacked(text)));
  } catch (error) {
    throw broken(where, error);
  }
}

/**
 * @param groups the controller groups that exist.
 * @param where the name of the variable or parameter with the text, for the error message.
 * @throws EvenkeelError BROKEN_DEPLOYMENT
 */
export function decodeCloudSettings(
  stage: string,
  text: string,
  groups: ControllerGroups = GROUPS,
  where = VARIABLE,
): Settings {
  const written = readWrittenSettings(text, where);
  try {
    return cloudSettings(stage, written, groups);
  } catch (error) {
    throw broken(where, error);
  }
}

function broken(where: string, cause: unknown): EvenkeelError {
  const message = `${where} is not what its release writes. Deploy the stage again.`;
  return new EvenkeelError('BROKEN_DEPLOYMENT', message, { cause });
}

function unpacked(text: string): string {
  if (!text.startsWith(PACKED)) return text;
  const packed = Buffer.from(text.slice(PACKED.length), 'base64');
  return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
}
