import { EvenkeelError } from '../../core/errors.ts';
import { type ControllerGroups, GROUPS } from '../groups/registered-groups.ts';
import { type Settings, settingsSchemaOf } from '../settings/settings-schema.ts';

/** Lambda's limit for all variables of a function is 4 KB. */
const MAX_LENGTH = 3_000;

/** Settings as they are written, e.g. `{"intervals": {"resync": "10m"}}`. */
export type WrittenSettings = Readonly<Record<string, unknown>>;

/**
 * The settings of a deployment: those that were written, under the stage's name unless they give another one.
 * @param groups the controller groups that there are.
 */
export function cloudSettings(stage: string, written: WrittenSettings, groups: ControllerGroups = GROUPS): Settings {
  return settingsSchemaOf(groups).parse({ installation: stage, ...written });
}

/** What a function is given of them. @throws EvenkeelError SETTINGS_TOO_LONG */
export function encodeCloudSettings(written: WrittenSettings): string {
  const text = JSON.stringify(written);
  if (text.length <= MAX_LENGTH) return text;
  throw new EvenkeelError(
    'SETTINGS_TOO_LONG',
    `the settings take ${text.length} characters, and a function can be given ${MAX_LENGTH}. Limit the scope by a label instead of by so many namespaces, or split the deployment.`,
  );
}

/** @param groups the controller groups that there are. @throws EvenkeelError BROKEN_DEPLOYMENT */
export function decodeCloudSettings(stage: string, text: string, groups: ControllerGroups = GROUPS): Settings {
  try {
    return cloudSettings(stage, JSON.parse(text) as WrittenSettings, groups);
  } catch (error) {
    throw new EvenkeelError(
      'BROKEN_DEPLOYMENT',
      'the variable EVENKEEL_SETTINGS of this function is not what its release writes. Deploy the stage again.',
      { cause: error },
    );
  }
}
