import { gunzipSync, gzipSync } from 'node:zlib';
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

/** @param groups the controller groups that there are. @throws EvenkeelError BROKEN_DEPLOYMENT */
export function decodeCloudSettings(stage: string, text: string, groups: ControllerGroups = GROUPS): Settings {
  try {
    return cloudSettings(stage, JSON.parse(unpacked(text)) as WrittenSettings, groups);
  } catch (error) {
    throw new EvenkeelError(
      'BROKEN_DEPLOYMENT',
      'the variable EVENKEEL_SETTINGS of this function is not what its release writes. Deploy the stage again.',
      { cause: error },
    );
  }
}

function unpacked(text: string): string {
  if (!text.startsWith(PACKED)) return text;
  const packed = Buffer.from(text.slice(PACKED.length), 'base64');
  return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
}
