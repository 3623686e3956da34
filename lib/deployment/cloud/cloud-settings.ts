import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { type Settings, settingsSchemaOf } from '../settings/settings-schema.ts';

/** Lambda gives a function 4 KB of variables, and a standard SSM parameter has as much. */
const MAX_LENGTH = 4_000;
/** Earlier releases read no packed settings, and never wrote longer ones. */
const LONGEST_PLAIN = 3_000;
/** Begins settings that are packed: base64 of their gzip. */
const PACKED = 'gzip:';
/** Unpacked settings are no longer than this. */
const MAX_UNPACKED_BYTES = 1_048_576;
const VARIABLE = 'the variable EVENKEEL_SETTINGS of this function';

/** What is known of written settings before the groups of an author's modules are. */
const writtenShape = z.looseObject({
  groups: z.record(z.string(), z.unknown()).optional(),
  controllers: z.array(z.string()).optional(),
});

/** Settings as they are written, e.g. `{"intervals": {"resync": "10m"}}`. */
export type WrittenSettings = Readonly<Record<string, unknown>>;

/**
 * The settings of a deployment: those that were written, under the stage's name unless they give another one.
 * @param groups the controller groups that there are.
 */
export function cloudSettings(stage: string, written: WrittenSettings, groups: ControllerGroups = GROUPS): Settings {
  return settingsSchemaOf(groups).parse({ installation: stage, ...written });
}

/**
 * What a function is given of them, or the stage's parameter.
 * @param longestPlain what is longer, in characters, is packed.
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
 * The settings as they were written, from what encodeCloudSettings made of them.
 * @param where names what holds the text, for the person who reads the error.
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
 * @param groups the controller groups that there are.
 * @param where names what holds the text, for the person who reads the error.
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
